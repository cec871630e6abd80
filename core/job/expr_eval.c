/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a `when` means: its value in a variant, and whether it can mean anything at all. */
#include <errno.h>
#include <string.h>

#include "core/job/expr_node.h"
#include "core/job/job.h"
#include "core/job/subst.h"
#include "core/param/number.h"
#include "core/util/str.h"
#include "core/util/xalloc.h"

/* A scalar's text, a group's name; NULL for a list. Caller frees. */
static char *expr_value_text(const struct value *v)
{
	if (v->type == VALUE_GROUP)
		v = value_get(v, "name");
	return v ? value_text(v) : NULL;
}

/* What a word stands for in a variant; NULL where it stands for nothing. Caller frees. */
static char *expr_text(const struct job_expr *w, const struct job *job, uint32_t variant)
{
	const struct value *v;
	struct value *put;
	struct diag d = { 0 };
	char *text = NULL;
	bool is_size;
	uint64_t n;

	if (!w->is_ref)
		return xstrdup(w->text);
	if (w->ref.kind == REF_KNOWN)
		return param_names_get(w->text, &job->names, &n, &is_size)
			       ? NULL
			       : xasprintf("%llu%s", (unsigned long long)n, is_size ? "B" : "");
	v = ref_value(job, &w->ref, variant);
	if (!v)
		return NULL;
	if (w->ref.kind == REF_FACTOR)
		return expr_value_text(v);
	if (!subst_value(job, variant, v, &put, &d))
		text = expr_value_text(put);
	value_free(put);
	diag_free(&d);
	return text;
}

static bool expr_order(enum expr_op op, int order)
{
	switch (op) {
	case EXPR_EQ:
		return order == 0;
	case EXPR_NE:
		return order != 0;
	case EXPR_LT:
		return order < 0;
	case EXPR_LE:
		return order <= 0;
	case EXPR_GT:
		return order > 0;
	default:
		return order >= 0;
	}
}

static bool expr_texts(enum expr_op op, const char *a, const char *b,
		       const struct param_names *names)
{
	int order;

	/* What is not there is unlike anything. */
	if (!a || !b)
		return op == EXPR_NE;
	if (number_compare(a, b, names, &order))
		return expr_order(op, order);
	return (op == EXPR_EQ || op == EXPR_NE) && expr_order(op, strcmp(a, b));
}

static bool expr_is_true(const char *text)
{
	long double v;

	if (!text || str_eq(text, "false") || !*text)
		return false;
	return !number_any(text, NULL, &v) || v != 0;
}

bool expr_eval(const struct job_expr *e, const struct job *job, uint32_t variant)
{
	_cleanup_free_ char *a = NULL;
	_cleanup_free_ char *b = NULL;

	switch (e->op) {
	case EXPR_OR:
		return expr_eval(e->a, job, variant) || expr_eval(e->b, job, variant);
	case EXPR_AND:
		return expr_eval(e->a, job, variant) && expr_eval(e->b, job, variant);
	case EXPR_NOT:
		return !expr_eval(e->a, job, variant);
	case EXPR_TRUE:
		a = expr_text(e->a, job, variant);
		return expr_is_true(a);
	default:
		a = expr_text(e->a, job, variant);
		b = expr_text(e->b, job, variant);
		return expr_texts(e->op, a, b, &job->names);
	}
}

/* ---- checks ---------------------------------------------------------------------------------- */

static int _printf_(4, 5) expr_wrong(const struct job_expr *w, const struct value *at,
				     struct diag *d, const char *fmt, ...)
{
	_cleanup_free_ char *why = NULL;
	va_list ap;

	va_start(ap, fmt);
	why = xvasprintf(fmt, ap);
	va_end(ap);
	diag_add(d, at->file, at->line, "when = \"%s\": character %zu: %s", at->u.s, w->column,
		 why);
	return -EINVAL;
}

/* Calls fn with each text that a factor or its member has, as the file lists them. */
static bool expr_any_value(const struct job_expr *w, const struct job *job,
			   bool (*fn)(const char *text, const void *arg), const void *arg)
{
	const struct job_factor *f = &job->factors[w->ref.index];

	for (int pinned = 0; pinned < (f->values == f->listed ? 1 : 2); pinned++) {
		const struct value *list = pinned ? f->values : f->listed;

		for (size_t i = 0; i < list->u.l.n; i++) {
			const struct value *v = list->u.l.v[i];
			_cleanup_free_ char *text = NULL;

			for (const char *path = w->ref.path; v && path;) {
				size_t len = strcspn(path, ".");
				_cleanup_free_ char *name = xstrndup(path, len);

				v = value_get(v, name);
				path = path[len] ? path + len + 1 : NULL;
			}
			text = v ? expr_value_text(v) : NULL;
			if (text && fn(text, arg))
				return true;
		}
	}
	return false;
}

struct expr_match {
	const char *text;
	const struct param_names *names;
};

static bool expr_matches(const char *text, const void *arg)
{
	const struct expr_match *m = arg;

	return expr_texts(EXPR_EQ, text, m->text, m->names);
}

static bool expr_is_no_number(const char *text, const void *arg)
{
	long double v;

	return !number_any(text, arg, &v);
}

static bool expr_list_value(const char *text, const void *arg)
{
	struct strbuf *sb = *(struct strbuf *const *)arg;

	strbuf_addf(sb, "%s%s", sb->len ? ", " : "", text);
	return sb->len > 200;
}

/* fs == xsf: a value that the factor never has is a typing error. */
static int expr_check_equal(const struct job_expr *ref, const struct job_expr *word,
			    const struct job *job, const struct value *at, struct diag *d)
{
	const struct expr_match m = { word->text, &job->names };
	_cleanup_strbuf_ struct strbuf sb = STRBUF_INIT;
	struct strbuf *list = &sb;

	if (word->is_ref || ref->ref.kind != REF_FACTOR ||
	    expr_any_value(ref, job, expr_matches, &m))
		return 0;
	expr_any_value(ref, job, expr_list_value, &list);
	return expr_wrong(word, at, d, "%s is never \"%s\": it is one of %s", ref->text, word->text,
			  strbuf_str(&sb));
}

static int expr_check_number(const struct job_expr *w, const struct job *job,
			     const struct value *at, struct diag *d)
{
	if (!w->is_ref && expr_is_no_number(w->text, &job->names))
		return expr_wrong(w, at, d, "\"%s\" is no number and has no order", w->text);
	if (w->is_ref && w->ref.kind == REF_FACTOR &&
	    expr_any_value(w, job, expr_is_no_number, &job->names))
		return expr_wrong(w, at, d,
				  "%s has values that are no numbers, and these have no order",
				  w->text);
	return 0;
}

static int expr_unknown(const struct job_expr *w, const struct job *job, const struct value *at,
			struct diag *d)
{
	_cleanup_strbuf_ struct strbuf sb = STRBUF_INIT;

	ref_explain(job, w->text, &sb);
	return expr_wrong(w, at, d, "%s", strbuf_str(&sb));
}

int expr_check(const struct job_expr *e, const struct job *job, const struct value *at,
	       struct diag *d)
{
	int ret = 0;

	if (e->op == EXPR_TRUE)
		return e->a->is_ref ? 0 : expr_unknown(e->a, job, at, d);
	if (e->op == EXPR_OR || e->op == EXPR_AND || e->op == EXPR_NOT) {
		ret = expr_check(e->a, job, at, d);
		if (e->b && expr_check(e->b, job, at, d))
			ret = -EINVAL;
		return ret;
	}
	if (!e->a->is_ref && !e->b->is_ref)
		return expr_unknown(e->a, job, at, d);
	if (e->op == EXPR_EQ || e->op == EXPR_NE) {
		if (e->a->is_ref)
			return expr_check_equal(e->a, e->b, job, at, d);
		return expr_check_equal(e->b, e->a, job, at, d);
	}
	ret = expr_check_number(e->a, job, at, d);
	return expr_check_number(e->b, job, at, d) ? -EINVAL : ret;
}
