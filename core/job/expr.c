/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parser of `when`. */
#include "core/job/expr.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "core/job/expr_node.h"
#include "core/job/job.h"
#include "core/job/subst.h"
#include "core/util/str.h"
#include "core/util/xalloc.h"

#define EXPR_DEPTH_MAX 100
#define EXPR_LEN_MAX 8192

struct expr_parser {
	const struct job *job;
	const struct value *at;
	const char *p;
	uint64_t *factors;
	struct diag *d;
	unsigned depth;
	bool failed;
};

static struct job_expr *expr_or(struct expr_parser *ep);

static struct job_expr *expr_new(enum expr_op op, struct job_expr *a, struct job_expr *b)
{
	struct job_expr *e = xcalloc(1, sizeof(*e));

	e->op = op;
	e->a = a;
	e->b = b;
	return e;
}

void expr_free(struct job_expr *e)
{
	if (!e)
		return;
	expr_free(e->a);
	expr_free(e->b);
	free(e->text);
	free(e);
}

/* The first failure is told, with its place. Returns NULL. */
static struct job_expr *_printf_(2, 3) expr_fail(struct expr_parser *ep, const char *fmt, ...)
{
	_cleanup_free_ char *why = NULL;
	va_list ap;

	if (ep->failed)
		return NULL;
	ep->failed = true;
	va_start(ap, fmt);
	why = xvasprintf(fmt, ap);
	va_end(ap);
	diag_add(ep->d, ep->at->file, ep->at->line, "when = \"%s\": character %zu: %s", ep->at->u.s,
		 (size_t)(ep->p - ep->at->u.s) + 1, why);
	return NULL;
}

static void expr_skip(struct expr_parser *ep)
{
	while (isspace((unsigned char)*ep->p))
		ep->p++;
}

/* Takes the sign when it stands here. */
static bool expr_take(struct expr_parser *ep, const char *sign)
{
	expr_skip(ep);
	if (!str_starts(ep->p, sign))
		return false;
	ep->p += strlen(sign);
	return true;
}

static bool expr_is_word(char c)
{
	return isalnum((unsigned char)c) || (unsigned char)c >= 0x80 ||
	       (c && strchr("_-.+/:%@,", c));
}

/* Makes text a reference where it is a name. */
static void expr_bind(struct expr_parser *ep, struct job_expr *e)
{
	e->is_ref = ref_find(ep->job, e->text, &e->ref) == 0;
	if (!e->is_ref)
		return;
	if (e->ref.kind == REF_FACTOR)
		*ep->factors |= 1ULL << e->ref.index;
}

static struct job_expr *expr_quoted(struct expr_parser *ep)
{
	const char *end = strchr(ep->p + 1, *ep->p);
	struct job_expr *e;

	if (!end)
		return expr_fail(ep, "a closing %c is missing", *ep->p);
	e = expr_new(EXPR_WORD, NULL, NULL);
	e->column = (size_t)(ep->p - ep->at->u.s) + 1;
	e->text = xstrndup(ep->p + 1, (size_t)(end - ep->p) - 1);
	ep->p = end + 1;
	return e;
}

/* ${name}: as in other texts, though the bare name does here. */
static struct job_expr *expr_dollar(struct expr_parser *ep)
{
	const char *end = strchr(ep->p, '}');
	struct job_expr *e;

	if (ep->p[1] != '{' || !end)
		return expr_fail(ep, "\"$\" without {name}");
	e = expr_new(EXPR_WORD, NULL, NULL);
	e->column = (size_t)(ep->p - ep->at->u.s) + 1;
	e->text = xstrndup(ep->p + 2, (size_t)(end - ep->p) - 2);
	expr_bind(ep, e);
	if (!e->is_ref) {
		_cleanup_strbuf_ struct strbuf sb = STRBUF_INIT;

		ref_explain(ep->job, e->text, &sb);
		expr_free(e);
		return expr_fail(ep, "%s", strbuf_str(&sb));
	}
	ep->p = end + 1;
	return e;
}

static struct job_expr *expr_word(struct expr_parser *ep)
{
	struct job_expr *e;
	size_t n = 0;

	expr_skip(ep);
	if (*ep->p == '\'' || *ep->p == '"')
		return expr_quoted(ep);
	if (*ep->p == '$')
		return expr_dollar(ep);
	while (expr_is_word(ep->p[n]))
		n++;
	if (!n && !*ep->p)
		return expr_fail(ep, "a name or value is missing at the end");
	if (!n)
		return expr_fail(ep, "a name or value is expected before \"%s\"", ep->p);
	e = expr_new(EXPR_WORD, NULL, NULL);
	e->column = (size_t)(ep->p - ep->at->u.s) + 1;
	e->text = xstrndup(ep->p, n);
	ep->p += n;
	expr_bind(ep, e);
	return e;
}

static bool expr_comparison(struct expr_parser *ep, enum expr_op *op)
{
	static const struct {
		const char *sign;
		enum expr_op op;
	} signs[] = {
		{ "==", EXPR_EQ }, { "!=", EXPR_NE }, { "<=", EXPR_LE },
		{ ">=", EXPR_GE }, { "<", EXPR_LT },  { ">", EXPR_GT },
	};

	for (size_t i = 0; i < ARRAY_SIZE(signs); i++) {
		if (expr_take(ep, signs[i].sign)) {
			*op = signs[i].op;
			return true;
		}
	}
	return false;
}

static struct job_expr *expr_compare(struct expr_parser *ep)
{
	struct job_expr *a = expr_word(ep), *b;
	enum expr_op op;

	if (!a)
		return NULL;
	if (!expr_comparison(ep, &op)) {
		if (*ep->p != '=')
			return expr_new(EXPR_TRUE, a, NULL);
		expr_free(a);
		return expr_fail(ep, "to compare, write \"==\"");
	}
	b = expr_word(ep);
	if (!b) {
		expr_free(a);
		return NULL;
	}
	return expr_new(op, a, b);
}

static struct job_expr *expr_not(struct expr_parser *ep)
{
	struct job_expr *e = NULL;

	if (++ep->depth > EXPR_DEPTH_MAX)
		return expr_fail(ep, "nested too deeply");
	expr_skip(ep);
	if (*ep->p == '!' && ep->p[1] != '=') {
		ep->p++;
		e = expr_not(ep);
		e = e ? expr_new(EXPR_NOT, e, NULL) : NULL;
	} else if (expr_take(ep, "(")) {
		e = expr_or(ep);
		if (e && !expr_take(ep, ")")) {
			expr_free(e);
			e = expr_fail(ep, "a \")\" is missing");
		}
	} else {
		e = expr_compare(ep);
	}
	ep->depth--;
	return e;
}

/* a SIGN b SIGN c ..., from left to right. */
static struct job_expr *expr_chain(struct expr_parser *ep, const char *sign, enum expr_op op,
				   struct job_expr *(*part)(struct expr_parser *))
{
	struct job_expr *e = part(ep);

	while (e && expr_take(ep, sign)) {
		struct job_expr *b = part(ep);

		if (!b) {
			expr_free(e);
			return NULL;
		}
		e = expr_new(op, e, b);
	}
	return e;
}

static struct job_expr *expr_and(struct expr_parser *ep)
{
	return expr_chain(ep, "&&", EXPR_AND, expr_not);
}

static struct job_expr *expr_or(struct expr_parser *ep)
{
	return expr_chain(ep, "||", EXPR_OR, expr_and);
}

/* What a variable depends on, the expression depends on. */
static int expr_scan_vars(struct expr_parser *ep, const struct job_expr *e)
{
	int ret = 0;

	if (e->a)
		ret = expr_scan_vars(ep, e->a);
	if (e->b && expr_scan_vars(ep, e->b))
		ret = -EINVAL;
	if (!e->is_ref || e->ref.kind != REF_VAR)
		return ret;
	return subst_scan(ep->job, ref_value(ep->job, &e->ref, SUBST_NO_VARIANT), ep->factors,
			  ep->d)
		       ? -EINVAL
		       : ret;
}

struct job_expr *expr_parse(const struct job *job, const struct value *at, uint64_t *factors,
			    struct diag *d)
{
	struct expr_parser ep = { .job = job, .at = at, .factors = factors, .d = d };
	struct job_expr *e;

	if (at->type != VALUE_STR) {
		diag_add(d, at->file, at->line, "when: expects a text, is %s",
			 value_type_phrase(at->type));
		return NULL;
	}
	if (strlen(at->u.s) > EXPR_LEN_MAX) {
		diag_add(d, at->file, at->line, "when: longer than %d characters", EXPR_LEN_MAX);
		return NULL;
	}
	ep.p = at->u.s;
	e = expr_or(&ep);
	expr_skip(&ep);
	if (e && *ep.p)
		expr_fail(&ep,
			  *ep.p == '&' || *ep.p == '|' ? "write \"&&\" and \"||\""
						       : "\"%s\" is too much",
			  ep.p);
	if (e && (ep.failed || expr_scan_vars(&ep, e) || expr_check(e, job, at, d))) {
		expr_free(e);
		e = NULL;
	}
	/* cppcheck-suppress returnDanglingLifetime ; the tree is of the heap */
	return e;
}
