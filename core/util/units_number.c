/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plain numbers, strictly parsed. */
#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "core/util/units.h"

static int units_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 99;
}

/* Digits after the sign. A leading zero means nothing: 010 is ten, as libconfig has it too. */
static int units_magnitude(const char *text, const char *s, uint64_t *out, struct err *e)
{
	unsigned int base = 10;
	uint64_t v = 0;

	if (s[0] == '0' && (s[1] == 'x' || s[1] == 'X')) {
		base = 16;
		s += 2;
	}
	if (units_digit(*s) >= (int)base)
		return err_set(e, EINVAL, "\"%s\" is not a whole number", text);
	for (; *s; s++) {
		unsigned int digit = (unsigned int)units_digit(*s);

		if (digit >= base)
			return err_set(e, EINVAL, "\"%s\" is not a whole number: unexpected \"%s\"",
				       text, s);
		if (__builtin_mul_overflow(v, base, &v) || __builtin_add_overflow(v, digit, &v))
			return err_set(e, ERANGE, "\"%s\" is too large: at most %llu", text,
				       (unsigned long long)UINT64_MAX);
	}
	*out = v;
	return 0;
}

int units_parse_u64(const char *text, uint64_t *out, struct err *e)
{
	if (!text || !*text)
		return err_set(e, EINVAL, "a number must not be empty");
	if (*text == '-')
		return err_set(e, EINVAL, "\"%s\": must not be negative", text);
	return units_magnitude(text, text, out, e);
}

int units_parse_i64(const char *text, int64_t *out, struct err *e)
{
	const uint64_t top = (uint64_t)INT64_MAX;
	bool negative;
	uint64_t v;
	int ret;

	if (!text || !*text)
		return err_set(e, EINVAL, "a number must not be empty");
	negative = *text == '-';
	ret = units_magnitude(text, text + (negative || *text == '+'), &v, e);
	if (ret)
		return ret;
	if (v > top + negative)
		return err_set(e, ERANGE, "\"%s\" is too %s: %lld to %lld", text,
			       negative ? "small" : "large", (long long)INT64_MIN,
			       (long long)INT64_MAX);
	/* -(v - 1) - 1: INT64_MIN has no positive counterpart. */
	*out = negative && v ? -(int64_t)(v - 1) - 1 : (int64_t)v;
	return 0;
}

static const char *units_skip_digits(const char *s)
{
	while (isdigit((unsigned char)*s))
		s++;
	return s;
}

/* [+-]digits[.digits][e[+-]digits] and nothing else: no hex, no "inf", no "nan". */
static bool units_is_decimal(const char *s)
{
	const char *start;

	s += *s == '+' || *s == '-';
	start = s;
	s = units_skip_digits(s);
	if (s == start)
		return false;
	if (*s == '.') {
		start = ++s;
		s = units_skip_digits(s);
		if (s == start)
			return false;
	}
	if (*s == 'e' || *s == 'E') {
		s++;
		s += *s == '+' || *s == '-';
		start = s;
		s = units_skip_digits(s);
		if (s == start)
			return false;
	}
	return !*s;
}

int units_parse_f64(const char *text, double *out, struct err *e)
{
	locale_t c;
	double v;

	if (!text || !*text)
		return err_set(e, EINVAL, "a number must not be empty");
	if (!units_is_decimal(text))
		return err_set(e, EINVAL, "\"%s\" is not a number", text);
	c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	if (!c)
		return err_set(e, errno, "\"%s\": cannot be read: %m", text);
	v = strtod_l(text, NULL, c);
	freelocale(c);
	if (!isfinite(v))
		return err_set(e, ERANGE, "\"%s\" is too large", text);
	*out = v;
	return 0;
}
