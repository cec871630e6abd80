/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A checking cursor over JSON text. */
#include "core/util/jscan.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { JSCAN_DEPTH = 64 };

void jscan_init(struct jscan *j, const char *text, size_t len, const char *name, struct err *e)
{
	*j = (struct jscan){ .start = text, .at = text, .end = text + len, .name = name, .e = e };
}

static bool jscan_fail(struct jscan *j, const char *what)
{
	unsigned line = 1;

	if (j->failed)
		return false;
	j->failed = true;
	for (const char *p = j->start; p < j->at; p++)
		line += *p == '\n';
	(void)err_set(j->e, EINVAL, "%s:%u: %s", j->name, line, what);
	return false;
}

static void jscan_blank(struct jscan *j)
{
	while (j->at < j->end && (*j->at == ' ' || *j->at == '\n' || *j->at == '\t' || *j->at == '\r'))
		j->at++;
}

/* The character that comes next, 0 at the end. */
static char jscan_peek(struct jscan *j)
{
	jscan_blank(j);
	return j->at < j->end && !j->failed ? *j->at : '\0';
}

static bool jscan_take(struct jscan *j, char c)
{
	if (jscan_peek(j) != c)
		return false;
	j->at++;
	return true;
}

/* ---- scalars ---- */

static bool jscan_escape(struct jscan *j)
{
	size_t digits = 0;

	if (++j->at == j->end || !*j->at || !strchr("\"\\/bfnrtu", *j->at))
		return jscan_fail(j, "a wrong escape in a string");
	if (*j->at++ != 'u')
		return true;
	while (digits < 4 && j->at < j->end && isxdigit((unsigned char)*j->at)) {
		j->at++;
		digits++;
	}
	return digits == 4 || jscan_fail(j, "a wrong escape in a string");
}

static bool jscan_string(struct jscan *j)
{
	j->at++;
	while (j->at < j->end && *j->at != '"') {
		if ((unsigned char)*j->at < 0x20)
			return jscan_fail(j, "a control character in a string");
		if (*j->at != '\\')
			j->at++;
		else if (!jscan_escape(j))
			return false;
	}
	if (j->at == j->end)
		return jscan_fail(j, "a string without an end");
	j->at++;
	return true;
}

static size_t jscan_digits(struct jscan *j)
{
	const char *from = j->at;

	while (j->at < j->end && *j->at >= '0' && *j->at <= '9')
		j->at++;
	return (size_t)(j->at - from);
}

static bool jscan_is(const struct jscan *j, char a, char b)
{
	return j->at < j->end && (*j->at == a || *j->at == b);
}

/* -?(0|[1-9][0-9]*)(.[0-9]+)?([eE][+-]?[0-9]+)? */
static bool jscan_skip_number(struct jscan *j)
{
	bool zero;

	j->at += *j->at == '-';
	zero = jscan_is(j, '0', '0');
	if (!(zero ? (j->at++, 1) : jscan_digits(j)))
		return jscan_fail(j, "not a JSON value");
	if (jscan_is(j, '.', '.')) {
		j->at++;
		if (!jscan_digits(j))
			return jscan_fail(j, "a number without digits");
	}
	if (jscan_is(j, 'e', 'E')) {
		j->at++;
		if (jscan_is(j, '+', '-'))
			j->at++;
		if (!jscan_digits(j))
			return jscan_fail(j, "a number without digits");
	}
	return true;
}

static bool jscan_word(struct jscan *j)
{
	static const char *const words[] = { "null", "true", "false" };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		size_t n = strlen(words[i]);

		if ((size_t)(j->end - j->at) >= n && memcmp(j->at, words[i], n) == 0) {
			j->at += n;
			return true;
		}
	}
	return jscan_fail(j, "not a JSON value");
}

static bool jscan_scalar(struct jscan *j)
{
	if (*j->at == '"')
		return jscan_string(j);
	if (*j->at == '-' || (*j->at >= '0' && *j->at <= '9'))
		return jscan_skip_number(j);
	return jscan_word(j);
}

/* ---- objects and arrays ---- */

/* Behind a value in a container: "," and go on, or its end. */
static bool jscan_more(struct jscan *j, char open, char close)
{
	const char *last = j->at;
	bool first;

	while (last > j->start && (last[-1] == ' ' || last[-1] == '\n' || last[-1] == '\t' || last[-1] == '\r'))
		last--;
	first = last[-1] == open;
	if (jscan_take(j, close))
		return false;
	return first || jscan_take(j, ',') || jscan_fail(j, "a comma or an end is missing");
}

bool jscan_object(struct jscan *j)
{
	if (jscan_take(j, '{'))
		return true;
	jscan_value(j, NULL);
	return false;
}

static bool jscan_take_key(struct jscan *j, struct jspan *key)
{
	const char *from;

	if (jscan_peek(j) != '"')
		return jscan_fail(j, "a key is missing");
	from = j->at + 1;
	if (!jscan_string(j))
		return false;
	*key = (struct jspan){ from, (size_t)(j->at - 1 - from) };
	return jscan_take(j, ':') || jscan_fail(j, "a colon is missing");
}

bool jscan_key(struct jscan *j, struct jspan *key)
{
	return jscan_more(j, '{', '}') && jscan_take_key(j, key);
}

bool jscan_array(struct jscan *j)
{
	if (jscan_take(j, '['))
		return true;
	jscan_value(j, NULL);
	return false;
}

bool jscan_element(struct jscan *j)
{
	return jscan_more(j, '[', ']');
}

/* A value with all that is in it. */
static bool jscan_skip(struct jscan *j)
{
	char close[JSCAN_DEPTH];
	size_t depth = 0;
	struct jspan key;
	char c = jscan_peek(j);

	for (;;) {
		bool empty = false;

		if (c == '{' || c == '[') {
			if (depth == JSCAN_DEPTH)
				return jscan_fail(j, "nested too deeply");
			close[depth] = c == '{' ? '}' : ']';
			j->at++;
			empty = jscan_peek(j) == close[depth++];
			if (!empty && c == '{' && !jscan_take_key(j, &key))
				return false;
		} else if (!c) {
			return jscan_fail(j, "a value is missing");
		} else if (!jscan_scalar(j)) {
			return false;
		} else {
			empty = true; /* nothing to go into */
		}
		while (empty && depth && jscan_take(j, close[depth - 1]))
			depth--;
		if (!depth)
			return true;
		if (empty && !jscan_take(j, ','))
			return jscan_fail(j, "a comma or an end is missing");
		if (empty && close[depth - 1] == '}' && !jscan_take_key(j, &key))
			return false;
		c = jscan_peek(j);
	}
}

void jscan_value(struct jscan *j, struct jspan *value)
{
	const char *from;

	jscan_blank(j);
	from = j->at;
	if (!j->failed)
		jscan_skip(j);
	if (value)
		*value = (struct jspan){ from, j->failed ? 0 : (size_t)(j->at - from) };
}

double jscan_number(struct jscan *j)
{
	struct jspan s;

	jscan_value(j, &s);
	/* What follows a number in a document is no part of one. */
	return s.len && (*s.s == '-' || (*s.s >= '0' && *s.s <= '9')) ? strtod(s.s, NULL) : NAN;
}

int jscan_end(struct jscan *j)
{
	if (!j->failed && (jscan_blank(j), j->at < j->end))
		jscan_fail(j, "something behind the end of the document");
	return j->failed ? -EINVAL : 0;
}

bool jspan_is(struct jspan s, const char *text)
{
	return strlen(text) == s.len && memcmp(s.s, text, s.len) == 0;
}

bool jspan_is_string(struct jspan s, const char *text)
{
	return s.len == strlen(text) + 2 && s.s[0] == '"' && memcmp(s.s + 1, text, s.len - 2) == 0;
}
