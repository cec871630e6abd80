/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A checking cursor over JSON text. */
#include "core/util/jscan.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

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

/* Text from p on that is no blank. */
static inline const char *jscan_blank(const char *p, const char *end)
{
	while (p < end && (unsigned char)*p <= ' ' && (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r'))
		p++;
	return p;
}

/* The character that comes next, 0 at the end. */
static inline char jscan_peek(struct jscan *j)
{
	j->at = jscan_blank(j->at, j->end);
	return j->at < j->end && !j->failed ? *j->at : '\0';
}

static inline bool jscan_take(struct jscan *j, char c)
{
	if (jscan_peek(j) != c)
		return false;
	j->at++;
	return true;
}

/*
 * ---- scalars ----
 *
 * Each function goes from p, where its value begins, to what is behind it; NULL after jscan_fail().
 */

static const char *jscan_fail_at(struct jscan *j, const char *p, const char *what)
{
	j->at = p;
	jscan_fail(j, what);
	return NULL;
}

/* p is at the backslash. */
static const char *jscan_escape(struct jscan *j, const char *p)
{
	size_t digits = 0;

	if (++p == j->end || !*p || !strchr("\"\\/bfnrtu", *p))
		return jscan_fail_at(j, p, "a wrong escape in a string");
	if (*p++ != 'u')
		return p;
	while (digits < 4 && p < j->end && isxdigit((unsigned char)*p)) {
		p++;
		digits++;
	}
	return digits == 4 ? p : jscan_fail_at(j, p, "a wrong escape in a string");
}

#ifdef __SSE2__
/* A bit for each of sixteen characters that is not just part of a string: a quote, a backslash, a control character. */
static inline unsigned jscan_special(const char *p)
{
	const __m128i text = _mm_loadu_si128((const __m128i *)p), last = _mm_set1_epi8(0x1f);

	return (unsigned)_mm_movemask_epi8(
		_mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(text, _mm_set1_epi8('"')), _mm_cmpeq_epi8(text, _mm_set1_epi8('\\'))),
			     _mm_cmpeq_epi8(_mm_max_epu8(text, last), last)));
}
#endif

/* The next special character; or the end. */
static inline const char *jscan_plain(const char *p, const char *end)
{
#ifdef __SSE2__
	for (; end - p >= 16; p += 16) {
		const unsigned special = jscan_special(p);

		if (special)
			return p + __builtin_ctz(special);
	}
#endif
	while (p < end && *p != '"' && *p != '\\' && (unsigned char)*p >= 0x20)
		p++;
	return p;
}

static inline const char *jscan_string(struct jscan *j, const char *p)
{
	p++;
	for (;;) {
		p = jscan_plain(p, j->end);
		if (p == j->end)
			return jscan_fail_at(j, p, "a string without an end");
		if (*p == '"')
			return p + 1;
		if (*p != '\\')
			return jscan_fail_at(j, p, "a control character in a string");
		p = jscan_escape(j, p);
		if (!p)
			return NULL;
	}
}

static inline bool jscan_is_digit(const char *p, const char *end)
{
	return p < end && *p >= '0' && *p <= '9';
}

static inline const char *jscan_digits(const char *p, const char *end)
{
	while (jscan_is_digit(p, end))
		p++;
	return p;
}

/* -?(0|[1-9][0-9]*)(.[0-9]+)?([eE][+-]?[0-9]+)? */
static const char *jscan_skip_number(struct jscan *j, const char *p)
{
	const char *const end = j->end;

	p += *p == '-';
	if (!jscan_is_digit(p, end))
		return jscan_fail_at(j, p, "not a JSON value");
	p = *p == '0' ? p + 1 : jscan_digits(p, end);
	if (p < end && *p == '.') {
		if (!jscan_is_digit(++p, end))
			return jscan_fail_at(j, p, "a number without digits");
		p = jscan_digits(p, end);
	}
	if (p < end && (*p == 'e' || *p == 'E')) {
		p++;
		p += p < end && (*p == '+' || *p == '-');
		if (!jscan_is_digit(p, end))
			return jscan_fail_at(j, p, "a number without digits");
		p = jscan_digits(p, end);
	}
	return p;
}

static const char *jscan_word(struct jscan *j, const char *p)
{
	static const char *const words[] = { "null", "true", "false" };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		size_t n = strlen(words[i]);

		if ((size_t)(j->end - p) >= n && memcmp(p, words[i], n) == 0)
			return p + n;
	}
	return jscan_fail_at(j, p, "not a JSON value");
}

static inline const char *jscan_scalar(struct jscan *j, const char *p)
{
	if (*p == '"')
		return jscan_string(j, p);
	if (*p == '-' || (*p >= '0' && *p <= '9'))
		return jscan_skip_number(j, p);
	return jscan_word(j, p);
}

/* ---- objects and arrays ---- */

/* Behind a value in a container: "," and go on, or its end. */
static bool jscan_more(struct jscan *j, char close)
{
	const bool first = j->first;

	j->first = false;
	if (jscan_take(j, close))
		return false;
	return first || jscan_take(j, ',') || jscan_fail(j, "a comma or an end is missing");
}

bool jscan_object(struct jscan *j)
{
	if (jscan_take(j, '{'))
		return j->first = true;
	jscan_value(j, NULL);
	return false;
}

/* From before a key to behind its colon. */
static inline const char *jscan_skip_key(struct jscan *j, const char *p, struct jspan *key)
{
	const char *behind;

	p = jscan_blank(p, j->end);
	if (p == j->end || *p != '"')
		return jscan_fail_at(j, p, "a key is missing");
	behind = jscan_string(j, p);
	if (!behind)
		return NULL;
	*key = (struct jspan){ p + 1, (size_t)(behind - p) - 2 };
	p = jscan_blank(behind, j->end);
	return p < j->end && *p == ':' ? p + 1 : jscan_fail_at(j, p, "a colon is missing");
}

bool jscan_key(struct jscan *j, struct jspan *key)
{
	const char *p;

	if (!jscan_more(j, '}'))
		return false;
	p = jscan_skip_key(j, j->at, key);
	if (p)
		j->at = p;
	return p;
}

bool jscan_array(struct jscan *j)
{
	if (jscan_take(j, '['))
		return j->first = true;
	jscan_value(j, NULL);
	return false;
}

bool jscan_element(struct jscan *j)
{
	return jscan_more(j, ']');
}

/* Behind a value: out of all containers that end there, and over the comma where there is one more value. */
static inline const char *jscan_behind(struct jscan *j, const char *p, const char *close, size_t *depth)
{
	struct jspan key;

	while (*depth) {
		p = jscan_blank(p, j->end);
		if (p < j->end && *p == ',') {
			p++;
			return close[*depth - 1] == '}' ? jscan_skip_key(j, p, &key) : p;
		}
		if (p == j->end || *p != close[*depth - 1])
			return jscan_fail_at(j, p, "a comma or an end is missing");
		p++;
		--*depth;
	}
	return p;
}

/* A value with all that is in it, from p. */
static const char *jscan_skip(struct jscan *j, const char *p)
{
	char close[JSCAN_DEPTH];
	size_t depth = 0;
	struct jspan key;

	do {
		p = jscan_blank(p, j->end);
		if (p == j->end)
			return jscan_fail_at(j, p, "a value is missing");
		if (*p == '{' || *p == '[') {
			if (depth == JSCAN_DEPTH)
				return jscan_fail_at(j, p, "nested too deeply");
			close[depth++] = *p == '{' ? '}' : ']';
			p = jscan_blank(p + 1, j->end);
			if (p == j->end || *p != close[depth - 1]) {
				/* The first one in it. */
				p = close[depth - 1] == '}' ? jscan_skip_key(j, p, &key) : p;
				continue;
			}
			p++;
			depth--;
		} else {
			p = jscan_scalar(j, p);
		}
		p = p ? jscan_behind(j, p, close, &depth) : NULL;
	} while (p && depth);
	return p;
}

void jscan_value(struct jscan *j, struct jspan *value)
{
	const char *from = jscan_blank(j->at, j->end), *behind = j->failed ? NULL : jscan_skip(j, from);

	if (behind)
		j->at = behind;
	if (value)
		*value = (struct jspan){ from, behind ? (size_t)(behind - from) : 0 };
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
	j->at = jscan_blank(j->at, j->end);
	if (!j->failed && j->at < j->end)
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
