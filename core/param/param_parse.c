/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One value of a job into one field of a configuration. */
#include "core/param/param_parse.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/param/number.h"
#include "core/util/str.h"
#include "core/util/units.h"
#include "core/util/xalloc.h"

#define PARAM_SHOWN_MAX 60

/* What is being parsed; the parsers below fill *why and return -EINVAL. */
struct param_job {
	const struct fst_param *p;
	const struct value *v;
	const struct param_names *names;
	const char *dir;
	struct param_arena *a;
	void *dst;
	struct strbuf *why;
};

static const struct param_type {
	const char *name, *expects;
	size_t size;
} param_types[] = {
	[FST_BOOL] = { "boolean", "true or false", sizeof(bool) },
	[FST_I64] = { "integer", "an integer", sizeof(int64_t) },
	[FST_U64] = { "integer", "an integer", sizeof(uint64_t) },
	[FST_F64] = { "number", "a number", sizeof(double) },
	[FST_STR] = { "text", "a text", sizeof(char *) },
	[FST_PATH] = { "path", "a path", sizeof(char *) },
	[FST_ENUM] = { "choice", "a choice", sizeof(int) },
	[FST_SIZE] = { "size", "a size", sizeof(uint64_t) },
	[FST_TIME] = { "time", "a time", sizeof(uint64_t) },
	[FST_LIST] = { "list", "a list of texts", sizeof(struct fst_list) },
};

size_t param_type_size(uint32_t type)
{
	return type < ARRAY_SIZE(param_types) ? param_types[type].size : 0;
}

const char *param_type_name(uint32_t type)
{
	return type < ARRAY_SIZE(param_types) && param_types[type].name ? param_types[type].name
									: "unknown";
}

void param_choice(const struct fst_param *p, uint32_t i, struct fst_choice *out)
{
	memset(out, 0, sizeof(*out));
	memcpy(out, (const char *)p->choices + (size_t)i * p->choice_size,
	       MIN((size_t)p->choice_size, sizeof(*out)));
}

int param_find_choice(const struct fst_param *p, const char *name)
{
	for (uint32_t i = 0; i < p->n_choices; i++) {
		struct fst_choice c;

		param_choice(p, i, &c);
		if (str_eq(c.name, name))
			return (int)i;
	}
	return -1;
}

/* The value as it is written: texts in quotes, long ones cut. */
static void param_show(const struct value *v, struct strbuf *sb)
{
	_cleanup_free_ char *text = value_text(v);
	const char *quote = v->type == VALUE_STR ? "\"" : "";
	size_t len = strlen(text);

	if (len <= PARAM_SHOWN_MAX) {
		strbuf_addf(sb, "%s%s%s", quote, text, quote);
		return;
	}
	len = PARAM_SHOWN_MAX;
	while (((unsigned char)text[len] & 0xc0) == 0x80)
		len--;
	strbuf_addf(sb, "%s%.*s...%s", quote, (int)len, text, quote);
}

static int _printf_(2, 3) param_fail(struct param_job *j, const char *fmt, ...)
{
	va_list ap;

	strbuf_addf(j->why, "%s = ", j->p->name);
	param_show(j->v, j->why);
	strbuf_addstr(j->why, ": ");
	va_start(ap, fmt);
	strbuf_addvf(j->why, fmt, ap);
	va_end(ap);
	return -EINVAL;
}

/* The reason from units.h begins with the number in quotes; we have said it. */
static int param_fail_number(struct param_job *j, const char *text, const struct err *e)
{
	_cleanup_free_ char *quoted = xasprintf("\"%s\"", text);
	const char *reason = e->text;

	if (str_starts(reason, quoted))
		reason += strlen(quoted);
	reason += strspn(reason, ": ");
	if (str_starts(reason, "is not a whole number"))
		reason = "not a whole number";
	return param_fail(j, "%s", reason);
}

static int param_fail_type(struct param_job *j)
{
	strbuf_addf(j->why, "%s: expects %s, is %s", j->p->name, param_types[j->p->type].expects,
		    value_type_phrase(j->v->type));
	if (j->v->type == VALUE_GROUP)
		strbuf_addstr(j->why, "; a member of it is meant by ${GROUP.MEMBER}");
	return -EINVAL;
}

static bool param_is_scalar(const struct value *v)
{
	return v->type != VALUE_LIST && v->type != VALUE_GROUP;
}

/* ---- one parser a type ----------------------------------------------------------------------- */

static int param_parse_bool(struct param_job *j)
{
	bool *out = j->dst;

	if (j->v->type == VALUE_BOOL) {
		*out = j->v->u.b;
		return 0;
	}
	if (j->v->type == VALUE_INT && (j->v->u.i == 0 || j->v->u.i == 1)) {
		*out = j->v->u.i == 1;
		return 0;
	}
	if (j->v->type == VALUE_STR) {
		const char *s = j->v->u.s;

		*out = str_eq(s, "true") || str_eq(s, "1");
		if (*out || str_eq(s, "false") || str_eq(s, "0"))
			return 0;
	}
	if (!param_is_scalar(j->v))
		return param_fail_type(j);
	return param_fail(j, "expects true or false");
}

static int param_parse_u64(struct param_job *j)
{
	struct err e;
	uint64_t v, bound;

	e.code = 0; /* the text is not cleared: this is done 100,000 times */
	if (j->v->type == VALUE_INT) {
		if (j->v->u.i < 0)
			return param_fail(j, "must not be negative");
		v = (uint64_t)j->v->u.i;
	} else if (j->v->type != VALUE_STR) {
		return param_fail_type(j);
	} else if (number_parse_u64(j->v->u.s, j->names, &v, &e)) {
		return param_fail_number(j, j->v->u.s, &e);
	}
	if (j->p->min && !number_parse_u64(j->p->min, j->names, &bound, NULL) && v < bound)
		return param_fail(j, "must be at least %s", j->p->min);
	if (j->p->max && !number_parse_u64(j->p->max, j->names, &bound, NULL) && v > bound)
		return param_fail(j, "must be at most %s", j->p->max);
	*(uint64_t *)j->dst = v;
	return 0;
}

static int param_parse_i64(struct param_job *j)
{
	struct err e;
	int64_t v, bound;

	e.code = 0;
	if (j->v->type == VALUE_INT)
		v = j->v->u.i;
	else if (j->v->type != VALUE_STR)
		return param_fail_type(j);
	else if (number_parse_i64(j->v->u.s, j->names, &v, &e))
		return param_fail_number(j, j->v->u.s, &e);
	if (j->p->min && !number_parse_i64(j->p->min, j->names, &bound, NULL) && v < bound)
		return param_fail(j, "must be at least %s", j->p->min);
	if (j->p->max && !number_parse_i64(j->p->max, j->names, &bound, NULL) && v > bound)
		return param_fail(j, "must be at most %s", j->p->max);
	*(int64_t *)j->dst = v;
	return 0;
}

static int param_parse_f64(struct param_job *j)
{
	struct err e;
	double v, bound;

	e.code = 0;
	if (j->v->type == VALUE_INT)
		v = (double)j->v->u.i;
	else if (j->v->type == VALUE_FLOAT)
		v = j->v->u.f;
	else if (j->v->type != VALUE_STR)
		return param_fail_type(j);
	else if (number_parse_f64(j->v->u.s, j->names, &v, &e))
		return param_fail_number(j, j->v->u.s, &e);
	if (j->p->min && !number_parse_f64(j->p->min, j->names, &bound, NULL) && v < bound)
		return param_fail(j, "must be at least %s", j->p->min);
	if (j->p->max && !number_parse_f64(j->p->max, j->names, &bound, NULL) && v > bound)
		return param_fail(j, "must be at most %s", j->p->max);
	*(double *)j->dst = v;
	return 0;
}

/* `bs = 4096 needs a unit: write "4096B" or "4KiB"` */
static int param_fail_unit(struct param_job *j, const char *digits)
{
	bool size = j->p->type == FST_SIZE;
	const char *unit = size ? "B" : "s";
	char nice[64] = "";
	uint64_t v = 0;

	strbuf_addf(j->why, "%s = ", j->p->name);
	param_show(j->v, j->why);
	strbuf_addf(j->why, " needs a unit: write \"%s%s\"", digits, unit);
	if (size && !units_parse_u64(digits, &v, NULL))
		units_format_size(v, nice, sizeof(nice));
	if (*nice && strncmp(nice, digits, strlen(digits)) != 0)
		strbuf_addf(j->why, " or \"%s\"", nice);
	else if (v < 1024)
		strbuf_addf(j->why, " or \"%s%s\"", digits, size ? "KiB" : "ms");
	return -EINVAL;
}

static int param_parse_unit(struct param_job *j,
			    int (*parse)(const char *, const struct param_names *, uint64_t *,
					 struct err *))
{
	_cleanup_free_ char *text = param_is_scalar(j->v) && j->v->type != VALUE_BOOL
					    ? value_text(j->v)
					    : NULL;
	struct err e;
	uint64_t v, bound;

	e.code = 0; /* the text is not cleared: this is done 100,000 times */
	if (!text)
		return param_fail_type(j);
	if (*text && !text[strspn(text, "0123456789.")] && text[strspn(text, "0.")])
		return param_fail_unit(j, text);
	if (parse(text, j->names, &v, &e))
		return param_fail_number(j, text, &e);
	if (j->p->min && !parse(j->p->min, j->names, &bound, NULL) && v < bound)
		return param_fail(j, "must be at least %s", j->p->min);
	if (j->p->max && !parse(j->p->max, j->names, &bound, NULL) && v > bound)
		return param_fail(j, "must be at most %s", j->p->max);
	*(uint64_t *)j->dst = v;
	return 0;
}

static int param_parse_text(struct param_job *j)
{
	char *text = value_text(j->v);

	if (!text)
		return param_fail_type(j);
	if (j->p->type == FST_PATH) {
		if (!*text || j->v->type != VALUE_STR) {
			int ret = param_fail(j, "expects a path");

			free(text);
			return ret;
		}
		if (*text != '/' && j->dir) {
			char *whole = xasprintf("%s/%s", j->dir, text);

			free(text);
			text = whole;
		}
	}
	*(const char **)j->dst = param_arena_add(j->a, text);
	return 0;
}

static int param_fail_choice(struct param_job *j, const char *text)
{
	_cleanup_free_ const char **names = xcalloc(j->p->n_choices + 1, sizeof(*names));
	_cleanup_strbuf_ struct strbuf list = STRBUF_INIT;
	const char *near;

	for (uint32_t i = 0; i < j->p->n_choices; i++) {
		struct fst_choice c;

		param_choice(j->p, i, &c);
		names[i] = c.name;
		strbuf_addf(&list, "%s%s", i ? ", " : "", c.name);
	}
	near = str_nearest(text, names, j->p->n_choices);
	if (near)
		return param_fail(j, "not one of %s; did you mean \"%s\"?", strbuf_str(&list),
				  near);
	return param_fail(j, "not one of %s", strbuf_str(&list));
}

static int param_parse_enum(struct param_job *j)
{
	_cleanup_free_ char *text = value_text(j->v);
	struct fst_choice c;
	int i;

	if (!text)
		return param_fail_type(j);
	i = param_find_choice(j->p, text);
	if (i < 0)
		return param_fail_choice(j, text);
	param_choice(j->p, (uint32_t)i, &c);
	*(int *)j->dst = c.value;
	return 0;
}

static int param_parse_list(struct param_job *j)
{
	const struct value *const one = j->v;
	const struct value *const *items = &one;
	struct fst_list *out = j->dst;
	const char **texts;
	size_t n = 1;

	if (j->v->type == VALUE_GROUP)
		return param_fail_type(j);
	if (j->v->type == VALUE_LIST) {
		items = (const struct value *const *)j->v->u.l.v;
		n = j->v->u.l.n;
	}
	for (size_t i = 0; i < n; i++) {
		if (param_is_scalar(items[i]))
			continue;
		strbuf_addf(j->why, "%s: expects a list of texts, item %zu is %s", j->p->name,
			    i + 1, value_type_phrase(items[i]->type));
		return -EINVAL;
	}
	texts = param_arena_add(j->a, xcalloc(n + 1, sizeof(*texts)));
	for (size_t i = 0; i < n; i++)
		texts[i] = param_arena_add(j->a, value_text(items[i]));
	*out = (struct fst_list){ n, texts };
	return 0;
}

int param_parse(const struct fst_param *p, const struct value *v, const struct param_names *names,
		const char *dir, struct param_arena *a, void *dst, struct strbuf *why)
{
	struct param_job j = { p, v, names, dir, a, dst, why };

	switch (p->type) {
	case FST_BOOL:
		return param_parse_bool(&j);
	case FST_I64:
		return param_parse_i64(&j);
	case FST_U64:
		return param_parse_u64(&j);
	case FST_F64:
		return param_parse_f64(&j);
	case FST_STR:
	case FST_PATH:
		return param_parse_text(&j);
	case FST_ENUM:
		return param_parse_enum(&j);
	case FST_SIZE:
		return param_parse_unit(&j, number_parse_size);
	case FST_TIME:
		return param_parse_unit(&j, number_parse_time);
	case FST_LIST:
		return param_parse_list(&j);
	default:
		strbuf_addf(why, "%s: unknown type %u", p->name, p->type);
		return -EINVAL;
	}
}
