/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The words of a job's text, as libconfig 1.5 sees them. */
#include "core/job/scan.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/util/xalloc.h"

static void scan_step(struct scan *s)
{
	if (*s->p++ == '\n')
		s->line++;
}

static char scan_peek(const struct scan *s, size_t ahead)
{
	return (size_t)(s->end - s->p) > ahead ? s->p[ahead] : '\0';
}

/* Over a block comment; false when it never ends. */
static bool scan_block_comment(struct scan *s)
{
	s->p += 2;
	while (s->p < s->end) {
		if (*s->p == '*' && scan_peek(s, 1) == '/') {
			s->p += 2;
			return true;
		}
		scan_step(s);
	}
	return false;
}

/* Over white space and comments; false at a comment that never ends, which *t then is. */
static bool scan_skip(struct scan *s, struct token *t)
{
	while (s->p < s->end) {
		char c = *s->p, c2 = scan_peek(s, 1);

		if (isspace((unsigned char)c)) {
			scan_step(s);
		} else if (c == '#' || (c == '/' && c2 == '/')) {
			while (s->p < s->end && *s->p != '\n')
				s->p++;
		} else if (c == '/' && c2 == '*') {
			*t = (struct token){ TOKEN_OPEN_COMMENT, s->p, 2, s->line, s->line };
			if (!scan_block_comment(s))
				return false;
		} else {
			break;
		}
	}
	return true;
}

static enum token_type scan_text(struct scan *s)
{
	scan_step(s);
	while (s->p < s->end) {
		char c = *s->p;

		scan_step(s);
		if (c == '"')
			return TOKEN_TEXT;
		if (c == '\\' && s->p < s->end)
			scan_step(s);
	}
	return TOKEN_OPEN_TEXT;
}

static enum token_type scan_name(struct scan *s)
{
	while (s->p < s->end && (isalnum((unsigned char)*s->p) || strchr("_-*", *s->p)) && *s->p)
		s->p++;
	return TOKEN_NAME;
}

static enum token_type scan_number(struct scan *s)
{
	const char *start = s->p++;
	bool hex = *start == '0' && tolower((unsigned char)scan_peek(s, 0)) == 'x';

	while (s->p < s->end) {
		char c = *s->p;
		bool exponent = !hex && tolower((unsigned char)s->p[-1]) == 'e' &&
				(c == '+' || c == '-');

		if (!isalnum((unsigned char)c) && c != '.' && c != '_' && !exponent)
			break;
		s->p++;
	}
	return TOKEN_NUMBER;
}

static bool scan_at_number(const struct scan *s)
{
	char c = *s->p, c2 = scan_peek(s, 1);

	if (isdigit((unsigned char)c) || c == '.')
		return true;
	return (c == '-' || c == '+') && (isdigit((unsigned char)c2) || c2 == '.');
}

bool scan_next(struct scan *s, struct token *t)
{
	if (!scan_skip(s, t))
		return true;
	*t = (struct token){ TOKEN_END, s->p, 0, s->line, s->line };
	if (s->p >= s->end)
		return false;
	if (*s->p == '"') {
		t->type = scan_text(s);
	} else if (isalpha((unsigned char)*s->p) || *s->p == '*') {
		t->type = scan_name(s);
	} else if (scan_at_number(s)) {
		t->type = scan_number(s);
	} else {
		t->type = TOKEN_MARK;
		s->p++;
	}
	t->len = (size_t)(s->p - t->s);
	t->last_line = s->line;
	return true;
}

bool token_is(const struct token *t, char mark)
{
	return t->type == TOKEN_MARK && *t->s == mark;
}

/* The part of a number that is digits, hexadecimal ones after 0x. */
static size_t token_integer(const char *s, bool *hex)
{
	size_t sign = *s == '-' || *s == '+', i = sign;

	*hex = !sign && s[0] == '0' && (s[1] == 'x' || s[1] == 'X');
	if (*hex)
		for (i = 2; isxdigit((unsigned char)s[i]);)
			i++;
	else
		for (; isdigit((unsigned char)s[i]);)
			i++;
	return i > sign + (*hex ? 2 : 0) ? i : 0;
}

static bool number_is_integer(const char *s, bool *hex, unsigned *bits)
{
	size_t n = token_integer(s, hex);

	*bits = 32;
	if (n && s[n] == 'L') {
		*bits = 64;
		n += s[n + 1] == 'L' ? 2 : 1;
	}
	return n && !s[n];
}

bool token_is_number(const struct token *t)
{
	_cleanup_free_ char *s = xstrndup(t->s, t->len);
	unsigned bits;
	char *end;
	bool hex;

	if (t->type != TOKEN_NUMBER)
		return false;
	if (number_is_integer(s, &hex, &bits))
		return true;
	(void)strtod(s, &end);
	return end != s && !*end && !hex;
}

bool token_check_number(const struct token *t, const char *file, struct diag *d)
{
	_cleanup_free_ char *s = xstrndup(t->s, t->len);
	unsigned bits;
	long long v;
	bool hex;

	if (!token_is_number(t))
		return false;
	if (!number_is_integer(s, &hex, &bits)) {
		if (isfinite(strtod(s, NULL)))
			return false;
		diag_add(d, file, t->line, "%s is too large for a number", s);
		return true;
	}
	errno = 0;
	v = strtoll(s, NULL, hex ? 16 : 10);
	if (!errno && (bits == 64 || (v >= INT32_MIN && v <= INT32_MAX)))
		return false;
	if (bits == 64)
		diag_add(d, file, t->line, "%s does not fit into 64 bits", s);
	else
		diag_add(d, file, t->line,
			 "%s does not fit into 32 bits: write \"%s\" in quotes, or with a unit", s,
			 s);
	return true;
}
