/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers and times as they stand in tables that people keep. */
#include "core/import/number.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "core/util/str.h"
#include "core/util/units.h"

int import_number(const char *text, double *v, struct err *e)
{
	size_t whole = strspn(text, "+-0123456789.");

	if (text[whole] == ',' && whole)
		return err_set(e, EINVAL,
			       "\"%.40s\" has a comma: a decimal comma or one between thousands? "
			       "Write it with a point, "
			       "or without the comma",
			       text);
	if (strchr(text, 'x') || strchr(text, 'X') || units_parse_f64(text, v, NULL) < 0)
		return err_set(e, EINVAL, "\"%.40s\" is no number", text);
	return 0;
}

bool import_is_censored(const char *text)
{
	size_t n = strspn(text, "+");

	return n >= 3 && !text[n];
}

/* ---- times ---- */

/* Digits, then a point and digits where fraction is allowed. */
static bool duration_digits(const char **at, bool fraction, double *v)
{
	size_t n = strspn(*at, "0123456789");
	char text[40];

	if (!n)
		return false;
	if (fraction && (*at)[n] == '.')
		n += 1 + strspn(*at + n + 1, "0123456789");
	if (n >= sizeof(text))
		return false;
	memcpy(text, *at, n);
	text[n] = '\0';
	*at += n;
	return units_parse_f64(text, v, NULL) == 0;
}

/* What time(1) puts behind: "elapsed", and then "91%CPU (0avgtext+...)". */
static bool duration_rest(const char *rest)
{
	rest += strspn(rest, " \t");
	if (str_starts(rest, "elapsed")) {
		rest += strlen("elapsed");
		rest += strspn(rest, " \t");
		rest += strspn(rest, "0123456789");
		if (str_starts(rest, "%CPU"))
			return true;
	}
	return !*rest;
}

/* "40.1", "94511us", "279ms", "105s", "0m40.10s" */
static bool duration_unit(const char *at, double first, double *seconds)
{
	static const struct {
		const char *name;
		double s;
	} names[] = { { "ns", 1e-9 }, { "us", 1e-6 }, { "ms", 1e-3 }, { "s", 1 } };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (str_starts(at, names[i].name) && duration_rest(at + strlen(names[i].name))) {
			*seconds = first * names[i].s;
			return true;
		}
	}
	if (*at == 'm' && floor(first) == first) {
		double s;

		at++;
		if (!duration_digits(&at, true, &s) || *at++ != 's' || s >= 60)
			return false;
		*seconds = 60 * first + s;
		return duration_rest(at);
	}
	*seconds = first;
	return duration_rest(at);
}

static bool duration_parse(const char *at, double *seconds)
{
	double v[3];
	size_t n = 0;

	if (!duration_digits(&at, true, &v[n++]))
		return false;
	while (*at == ':' && n < ARRAY_SIZE(v)) {
		at++;
		if (floor(v[n - 1]) != v[n - 1] || strspn(at, "0123456789") != 2 ||
		    !duration_digits(&at, true, &v[n]))
			return false;
		/* 61 seconds are a minute more: somebody's decimals, or a typing error. */
		if (v[n] >= 60)
			return false;
		n++;
	}
	if (n == 1)
		return duration_unit(at, v[0], seconds);
	*seconds = 0;
	for (size_t i = 0; i < n; i++)
		*seconds = 60 * *seconds + v[i];
	return duration_rest(at);
}

int import_duration(const char *text, double *seconds, struct err *e)
{
	const char *at = text + strspn(text, " \t");

	if (at[strspn(at, "0123456789:")] == ',')
		return err_set(e, EINVAL, "\"%.40s\" has a decimal comma: write it with a point",
			       text);
	if (!duration_parse(at, seconds))
		return err_set(e, EINVAL, "\"%.40s\" is no time: 12:40.55, 1:13:45 or 760.55 are",
			       text);
	return 0;
}
