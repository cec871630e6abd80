/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values of a job file, with the place they stand at. */
#include "core/param/value.h"

#include <stdio.h>
#include <string.h>

#include "core/util/str.h"
#include "core/util/units.h"
#include "core/util/xalloc.h"

struct value *value_new(enum value_type type, const char *file, unsigned line)
{
	struct value *v = xcalloc(1, sizeof(*v));

	v->type = type;
	v->file = file;
	v->line = line;
	return v;
}

struct value *value_new_str(const char *s, const char *file, unsigned line)
{
	struct value *v = value_new(VALUE_STR, file, line);

	v->u.s = xstrdup(s);
	return v;
}

static bool value_is_aggregate(const struct value *v)
{
	return v->type == VALUE_LIST || v->type == VALUE_GROUP;
}

struct value *value_copy(const struct value *v)
{
	struct value *copy = value_new(v->type, v->file, v->line);

	copy->bad = v->bad;
	if (v->type == VALUE_STR) {
		copy->u.s = xstrdup(v->u.s);
	} else if (value_is_aggregate(v)) {
		for (size_t i = 0; i < v->u.l.n; i++)
			value_add(copy, v->u.l.names ? v->u.l.names[i] : NULL,
				  value_copy(v->u.l.v[i]));
	} else {
		copy->u = v->u;
	}
	return copy;
}

void value_free(struct value *v)
{
	if (!v)
		return;
	if (v->type == VALUE_STR)
		free(v->u.s);
	if (value_is_aggregate(v)) {
		for (size_t i = 0; i < v->u.l.n; i++) {
			value_free(v->u.l.v[i]);
			if (v->u.l.names)
				free(v->u.l.names[i]);
		}
		free(v->u.l.v);
		free(v->u.l.names);
	}
	free(v);
}

void value_add(struct value *v, const char *name, struct value *item)
{
	size_t n = v->u.l.n;

	/* The room is the next power of two. */
	if ((n & (n - 1)) == 0) {
		size_t cap = n ? 2 * n : 1;

		v->u.l.v = xreallocarray(v->u.l.v, cap, sizeof(*v->u.l.v));
		if (v->type == VALUE_GROUP)
			v->u.l.names = xreallocarray(v->u.l.names, cap, sizeof(*v->u.l.names));
	}
	v->u.l.v[n] = item;
	if (v->type == VALUE_GROUP)
		v->u.l.names[n] = xstrdup(name);
	v->u.l.n = n + 1;
}

struct value *value_get(const struct value *group, const char *name)
{
	for (size_t i = 0; group && group->type == VALUE_GROUP && i < group->u.l.n; i++) {
		if (strcmp(group->u.l.names[i], name) == 0)
			return group->u.l.v[i];
	}
	return NULL;
}

const char *value_type_phrase(enum value_type type)
{
	static const char *const phrases[] = {
		[VALUE_BOOL] = "a boolean",
		[VALUE_INT] = "an integer",
		[VALUE_FLOAT] = "a decimal number",
		[VALUE_STR] = "a text",
		[VALUE_LIST] = "a list",
		[VALUE_GROUP] = "a group",
	};

	return phrases[type];
}

const char *value_type_name(enum value_type type)
{
	return strchr(value_type_phrase(type), ' ') + 1;
}

/* The shortest form that reads back the same. */
static char *value_float_text(double f)
{
	for (int digits = 6; digits < 17; digits++) {
		char *text = xasprintf("%.*g", digits, f);
		double back;

		if (!units_parse_f64(text, &back, NULL) && back == f)
			return text;
		free(text);
	}
	return xasprintf("%.17g", f);
}

char *value_text(const struct value *v)
{
	switch (v->type) {
	case VALUE_BOOL:
		return xstrdup(v->u.b ? "true" : "false");
	case VALUE_INT:
		return xasprintf("%lld", (long long)v->u.i);
	case VALUE_FLOAT:
		return value_float_text(v->u.f);
	case VALUE_STR:
		return xstrdup(v->u.s);
	default:
		return NULL;
	}
}

struct value *value_from_text(const char *text)
{
	struct value *v;
	int64_t i;
	double f;

	if (str_eq(text, "true") || str_eq(text, "false")) {
		v = value_new(VALUE_BOOL, NULL, 0);
		v->u.b = *text == 't';
	} else if (!units_parse_i64(text, &i, NULL)) {
		v = value_new(VALUE_INT, NULL, 0);
		v->u.i = i;
	} else if (!units_parse_f64(text, &f, NULL)) {
		v = value_new(VALUE_FLOAT, NULL, 0);
		v->u.f = f;
	} else {
		v = value_new_str(text, NULL, 0);
	}
	return v;
}

char *value_label(const struct value *v)
{
	if (v->type == VALUE_GROUP)
		v = value_get(v, "name");
	return v ? value_text(v) : NULL;
}
