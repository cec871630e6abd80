/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arithmetic in numbers of jobs: a parser by recursive descent that computes on its way. */
#include "core/param/number_eval.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "core/util/str.h"
#include "core/util/units.h"

#define NUMBER_MAX_DEPTH 50

struct number_parser {
	const char *p;
	const struct param_names *names;
	struct err *e;
	enum number_dim want; /* "5m" is 5 MiB, or 5 minutes where a time is wanted */
	unsigned depth;
};

static int number_sum(struct number_parser *np, struct number *out);

static void number_skip(struct number_parser *np)
{
	while (isspace((unsigned char)*np->p))
		np->p++;
}

/* Copies the word at p, as far as chars of it go, into buf. */
/* At p: is this the sign in "1.5e-9", after a number of n characters that begins it? */
static bool number_is_exponent_sign(const char *start, size_t n)
{
	return n > 1 && (start[n] == '-' || start[n] == '+') && (start[n - 1] == 'e' || start[n - 1] == 'E') &&
	       strspn(start, "0123456789.") == n - 1 && isdigit((unsigned char)start[n + 1]);
}

/* "1e6", "1.5e-9": an exponent and nothing behind it. */
static bool number_has_exponent(const char *word, size_t digits)
{
	const char *p = word + digits;

	if (!digits || (*p != 'e' && *p != 'E'))
		return false;
	p += 1 + (p[1] == '-' || p[1] == '+');
	return *p && !p[strspn(p, "0123456789")];
}

static int number_word(struct number_parser *np, char *buf, size_t size)
{
	size_t n = 0;

	while (isalnum((unsigned char)np->p[n]) || np->p[n] == '.' || np->p[n] == '_' ||
	       number_is_exponent_sign(np->p, n))
		n++;
	if (n >= size)
		return err_set(np->e, EINVAL, "not a number");
	memcpy(buf, np->p, n);
	buf[n] = '\0';
	np->p += n;
	return 0;
}

static int number_known(struct number_parser *np, struct number *out)
{
	char word[64];
	const char *near;
	bool is_size;
	uint64_t v;
	int ret = number_word(np, word, sizeof(word));

	if (ret)
		return ret;
	ret = param_names_get(word, np->names, &v, &is_size);
	if (ret == -ENODATA)
		return err_set(np->e, ENODATA, "%s is not known here", word);
	if (ret) {
		near = str_nearest(word, param_names_known, ARRAY_SIZE(param_names_known));
		if (near)
			return err_set(np->e, EINVAL, "unknown name \"%s\"; did you mean \"%s\"?",
				       word, near);
		return err_set(np->e, EINVAL, "not a number");
	}
	*out = (struct number){ (long double)v, is_size ? NUMBER_SIZE : NUMBER_PLAIN, is_size };
	return 0;
}

static int number_percent(struct number_parser *np, const char *word, struct number *out)
{
	double f;

	np->p++;
	if (units_parse_f64(word, &f, NULL))
		return err_set(np->e, EINVAL, "not a number");
	if (!np->names || !np->names->target_size)
		return err_set(np->e, ENODATA, "the size of the target is not known here");
	*out = (struct number){ (long double)f * (long double)np->names->target_size / 100,
				NUMBER_SIZE, true };
	return 0;
}

static int number_literal(struct number_parser *np, struct number *out)
{
	struct err why = { 0 };
	char word[64];
	size_t digits;
	uint64_t u;
	double f;
	int ret = number_word(np, word, sizeof(word));

	if (ret)
		return ret;
	if (*np->p == '%')
		return number_percent(np, word, out);
	digits = strspn(word, "0123456789.");
	if (!word[digits] || number_has_exponent(word, digits)) {
		if (!units_parse_u64(word, &u, NULL)) {
			*out = (struct number){ (long double)u, NUMBER_PLAIN, false };
			return 0;
		}
		if (units_parse_f64(word, &f, NULL))
			return err_set(np->e, EINVAL, "not a number");
		*out = (struct number){ (long double)f, NUMBER_PLAIN, false };
		return 0;
	}
	if (np->want == NUMBER_TIME ? !units_parse_time(word, &u, &why)
				    : !units_parse_size(word, &u, &why)) {
		*out = (struct number){ (long double)u,
					np->want == NUMBER_TIME ? NUMBER_TIME : NUMBER_SIZE,
					false };
		return 0;
	}
	if (np->want == NUMBER_TIME ? !units_parse_size(word, &u, NULL)
				    : !units_parse_time(word, &u, NULL)) {
		*out = (struct number){ (long double)u,
					np->want == NUMBER_TIME ? NUMBER_SIZE : NUMBER_TIME,
					false };
		return 0;
	}
	return err_set(np->e, EINVAL, "%s", why.text);
}

static int number_primary(struct number_parser *np, struct number *out)
{
	int ret;

	number_skip(np);
	if (*np->p == '(') {
		if (++np->depth > NUMBER_MAX_DEPTH)
			return err_set(np->e, EINVAL, "too many parentheses");
		np->p++;
		ret = number_sum(np, out);
		if (ret)
			return ret;
		number_skip(np);
		if (*np->p != ')')
			return err_set(np->e, EINVAL, "a \")\" is missing");
		np->p++;
		np->depth--;
		return 0;
	}
	if (isdigit((unsigned char)*np->p))
		return number_literal(np, out);
	if (isalpha((unsigned char)*np->p))
		return number_known(np, out);
	if (!*np->p)
		return err_set(np->e, EINVAL, "a number is missing at the end");
	return err_set(np->e, EINVAL, "not a number");
}

static int number_multiply(struct number_parser *np, char op, struct number *a,
			   const struct number *b)
{
	a->part |= b->part;
	if (op == '*') {
		if (a->dim && b->dim)
			return err_set(np->e, EINVAL, "two sizes or times cannot be multiplied");
		a->v *= b->v;
		a->dim = a->dim ? a->dim : b->dim;
		return 0;
	}
	if (b->v == 0)
		return err_set(np->e, EINVAL, "division by zero");
	if (b->dim && b->dim != a->dim)
		return err_set(np->e, EINVAL, "these cannot be divided");
	a->v /= b->v;
	a->dim = b->dim ? NUMBER_PLAIN : a->dim;
	return 0;
}

static int number_product(struct number_parser *np, struct number *out)
{
	int ret = number_primary(np, out);

	while (!ret) {
		struct number b = { 0 };
		char op;

		number_skip(np);
		op = *np->p;
		if (op != '*' && op != '/')
			break;
		np->p++;
		ret = number_primary(np, &b);
		if (!ret)
			ret = number_multiply(np, op, out, &b);
	}
	return ret;
}

static int number_sum(struct number_parser *np, struct number *out)
{
	int ret = number_product(np, out);

	while (!ret) {
		struct number b = { 0 };
		char op;

		number_skip(np);
		op = *np->p;
		if (op != '+' && op != '-')
			break;
		np->p++;
		ret = number_product(np, &b);
		if (!ret && b.dim != out->dim)
			ret = err_set(np->e, EINVAL, "only like can be added to like");
		if (!ret) {
			out->v = op == '+' ? out->v + b.v : out->v - b.v;
			out->part |= b.part;
		}
	}
	return ret;
}

int number_eval(const char *text, const struct param_names *names, enum number_dim want,
		struct number *out, struct err *e)
{
	struct number_parser np = { .p = text, .names = names, .e = e, .want = want };
	int ret;

	*out = (struct number){ 0 };
	ret = number_sum(&np, out);
	if (!ret && isalpha((unsigned char)*np.p))
		return err_set(e, EINVAL, "no blank between a number and its unit");
	if (!ret && *np.p)
		return err_set(e, EINVAL, "not a number");
	return ret;
}
