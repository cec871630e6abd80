/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers as jobs write them. */
#include "core/param/number.h"

#include <ctype.h>
#include <errno.h>

#include "core/param/number_eval.h"
#include "core/util/str.h"
#include "core/util/units.h"

#define NUMBER_TOP 18446744073709551616.0L /* 2^64 */

/* A single word of digits and letters: what units.h parses by itself, with better messages. */
static bool number_is_literal(const char *text)
{
	if (*text == '-' || *text == '+')
		text++;
	if (!isdigit((unsigned char)*text))
		return false;
	while (isalnum((unsigned char)*text) || *text == '.')
		text++;
	return !*text;
}

/* Down to a whole number of dimension dim. */
static int number_whole(struct number *n, enum number_dim dim, const char *what, struct err *e)
{
	if (n->dim != dim && dim == NUMBER_PLAIN)
		return err_set(e, EINVAL, "expects a number without a unit");
	if (n->dim != dim && n->dim == NUMBER_PLAIN)
		return err_set(e, EINVAL, "needs a unit");
	if (n->dim != dim)
		return err_set(e, EINVAL, "not a %s", what);
	if (n->v < 0)
		return err_set(e, ERANGE, "is negative");
	if (n->v >= NUMBER_TOP)
		return err_set(e, ERANGE, "is too large");
	return 0;
}

static int number_parse_dim(const char *text, const struct param_names *names, enum number_dim dim,
			    const char *what, uint64_t *out, struct err *e)
{
	struct number n;
	int ret = number_eval(text, names, dim, &n, e);

	if (!ret)
		ret = number_whole(&n, dim, what, e);
	if (ret)
		return ret;
	*out = (uint64_t)n.v;
	if (n.part && dim == NUMBER_SIZE && *out > 4096)
		*out -= *out % 4096;
	return 0;
}

/* "4KiB" where a plain number is wanted: units.h would call it no number at all. */
static int number_no_unit(const char *text, int ret, const struct err *why, struct err *e)
{
	uint64_t u;

	if (!ret)
		return 0;
	if (!units_parse_size(text, &u, NULL) || !units_parse_time(text, &u, NULL))
		return err_set(e, EINVAL, "expects a number without a unit");
	return err_set(e, why->code, "%s", why->text);
}

int number_parse_u64(const char *text, const struct param_names *names, uint64_t *out,
		     struct err *e)
{
	struct err why;

	why.code = 0;
	if (number_is_literal(text))
		return number_no_unit(text, units_parse_u64(text, out, &why), &why, e);
	return number_parse_dim(text, names, NUMBER_PLAIN, "number", out, e);
}

int number_parse_i64(const char *text, const struct param_names *names, int64_t *out, struct err *e)
{
	struct err why;
	uint64_t u;
	int ret;

	why.code = 0;
	if (number_is_literal(text))
		return number_no_unit(text, units_parse_i64(text, out, &why), &why, e);
	ret = number_parse_dim(text, names, NUMBER_PLAIN, "number", &u, e);
	if (ret)
		return ret;
	if (u > INT64_MAX)
		return err_set(e, ERANGE, "is too large");
	*out = (int64_t)u;
	return 0;
}

int number_parse_f64(const char *text, const struct param_names *names, double *out, struct err *e)
{
	struct number n;
	struct err why;
	int ret;

	why.code = 0;
	if (number_is_literal(text) || *text == '-')
		return number_no_unit(text, units_parse_f64(text, out, &why), &why, e);
	ret = number_eval(text, names, NUMBER_PLAIN, &n, e);
	if (!ret && n.dim != NUMBER_PLAIN)
		return err_set(e, EINVAL, "expects a number without a unit");
	if (!ret)
		*out = (double)n.v;
	return ret;
}

int number_parse_size(const char *text, const struct param_names *names, uint64_t *bytes,
		      struct err *e)
{
	if (number_is_literal(text))
		return units_parse_size(text, bytes, e);
	return number_parse_dim(text, names, NUMBER_SIZE, "size", bytes, e);
}

int number_parse_time(const char *text, const struct param_names *names, uint64_t *ns,
		      struct err *e)
{
	if (number_is_literal(text))
		return units_parse_time(text, ns, e);
	return number_parse_dim(text, names, NUMBER_TIME, "time", ns, e);
}

/* Any decimal, or what is computed. */
static bool number_read(const char *text, const struct param_names *names, enum number_dim want,
			struct number *n)
{
	double f;

	if (units_parse_f64(text, &f, NULL))
		return !number_eval(text, names, want, n, NULL);
	*n = (struct number){ (long double)f, NUMBER_PLAIN, false };
	return true;
}

bool number_any(const char *text, const struct param_names *names, long double *out)
{
	struct number n;

	if (!number_read(text, names, NUMBER_SIZE, &n))
		return false;
	*out = n.v;
	return true;
}

bool number_compare(const char *a, const char *b, const struct param_names *names, int *order)
{
	for (enum number_dim want = NUMBER_TIME; want >= NUMBER_SIZE; want--) {
		struct number x, y;

		if (!number_read(a, names, want, &x) || !number_read(b, names, want, &y))
			return false;
		/* As sizes unless both are times, whatever "m" means. */
		if (want == NUMBER_TIME && (x.dim != NUMBER_TIME || y.dim != NUMBER_TIME))
			continue;
		*order = (x.v > y.v) - (x.v < y.v);
		return x.dim == y.dim || !x.dim || !y.dim;
	}
	return false;
}

bool number_same(const char *a, const char *b, const struct param_names *names)
{
	int order;

	return str_eq(a, b) || (number_compare(a, b, names, &order) && order == 0);
}
