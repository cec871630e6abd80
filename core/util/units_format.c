/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sizes, times and metrics as text. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/util/str.h"
#include "core/util/units.h"

/*
 * Largest power of 1024 that gives a whole number, or one with quarters below 1024 units. False
 * when only bytes are exact.
 */
static bool units_binary(uint64_t bytes, char *buf, size_t size)
{
	static const char prefix[] = "KMGTP";

	for (int i = 4; i >= 0; i--) {
		uint64_t unit = 1ULL << (10 * (i + 1)), whole = bytes / unit, rest = bytes % unit;
		unsigned int cents = (unsigned int)(rest / (unit / 4)) * 25;

		if (!whole || rest % (unit / 4) || (rest && whole >= 1024))
			continue;
		if (!cents)
			snprintf(buf, size, "%llu%ciB", (unsigned long long)whole, prefix[i]);
		else if (cents == 50)
			snprintf(buf, size, "%llu.5%ciB", (unsigned long long)whole, prefix[i]);
		else
			snprintf(buf, size, "%llu.%u%ciB", (unsigned long long)whole, cents,
				 prefix[i]);
		return true;
	}
	return false;
}

/* Whole multiples of a power of 1000, from MB on. */
static bool units_decimal(uint64_t bytes, char *buf, size_t size)
{
	static const char *const names[] = { "MB", "GB", "TB", "PB" };
	static const uint64_t units[] = { 1000000ULL, 1000000000ULL, 1000000000000ULL,
					  1000000000000000ULL };

	for (size_t i = ARRAY_SIZE(units); i-- > 0;) {
		if (bytes < units[i] || bytes % units[i])
			continue;
		snprintf(buf, size, "%llu%s", (unsigned long long)(bytes / units[i]), names[i]);
		return true;
	}
	return false;
}

const char *units_format_size(uint64_t bytes, char *buf, size_t size)
{
	char binary[40], decimal[40];
	bool b = units_binary(bytes, binary, sizeof(binary));
	bool d = units_decimal(bytes, decimal, sizeof(decimal));

	if (d && (!b || strlen(decimal) < strlen(binary)))
		snprintf(buf, size, "%s", decimal);
	else if (b)
		snprintf(buf, size, "%s", binary);
	else
		snprintf(buf, size, "%lluB", (unsigned long long)bytes);
	return buf;
}

const char *units_format_time(uint64_t ns, char *buf, size_t size)
{
	static const struct {
		const char *name;
		uint64_t factor;
	} units[] = {
		{ "h", 3600000000000ULL }, { "m", 60000000000ULL }, { "s", 1000000000ULL },
		{ "ms", 1000000ULL },	   { "us", 1000ULL },	    { "ns", 1 },
	};

	snprintf(buf, size, "0s");
	for (size_t i = 0; ns && i < ARRAY_SIZE(units); i++) {
		if (ns % units[i].factor)
			continue;
		snprintf(buf, size, "%llu%s", (unsigned long long)(ns / units[i].factor),
			 units[i].name);
		break;
	}
	return buf;
}

/* How a metric's unit is scaled: prefixes and what is put behind them. */
struct units_scale {
	const char *unit;
	double step;
	double keep; /* below this the first prefix, none, stays */
	const char *suffixes[6];
};

static const struct units_scale units_scales[] = {
	{ "bytes/s", 1024, 1024, { " B/s", " KiB/s", " MiB/s", " GiB/s", " TiB/s", " PiB/s" } },
	{ "bytes", 1024, 1024, { " B", " KiB", " MiB", " GiB", " TiB", " PiB" } },
	{ "ns", 1000, 1000, { " ns", " us", " ms", " s" } },
	{ "ops/s", 1000, 10000, { " /s", " k/s", " M/s", " G/s" } },
	{ "count", 1000, 1e7, { "", " k", " M", " G" } },
	{ "ratio", 1000, INFINITY, { "" } },
};

/* Rounded to four significant digits. */
static double units_round4(double v)
{
	double power;
	int k;

	if (fabs(v) < 1e-300)
		return v;
	k = (int)floor(log10(fabs(v))) - 3;
	power = pow(10, abs(k));
	/* By a whole power of ten, which is exact where its inverse is not. */
	return k < 0 ? round(v * power) / power : round(v / power) * power;
}

static void units_print4(double v, const char *suffix, char *buf, size_t size)
{
	double a;

	v = units_round4(v);
	a = fabs(v);
	if (a >= 1000)
		snprintf(buf, size, "%.0f%s", v, suffix);
	else if (a >= 1e-3 || a == 0)
		snprintf(buf, size, "%#.4g%s", v, suffix);
	else
		snprintf(buf, size, "%.3e%s", v, suffix);
}

const char *units_format_metric(double value, const char *unit, char *buf, size_t size)
{
	struct units_scale own = { unit, 1000, INFINITY, { "" } };
	const struct units_scale *s = &own;
	char suffix[64];
	size_t i = 0;

	if (!isfinite(value)) {
		snprintf(buf, size, "-");
		return buf;
	}
	for (size_t k = 0; unit && k < ARRAY_SIZE(units_scales); k++) {
		if (str_eq(units_scales[k].unit, unit))
			s = &units_scales[k];
	}
	if (fabs(units_round4(value)) >= s->keep) {
		/* Rounded first: 1023.99 KiB is to come out as 1.000 MiB, not as 1024 KiB. */
		while (i + 1 < ARRAY_SIZE(s->suffixes) && s->suffixes[i + 1] &&
		       fabs(units_round4(value)) >= s->step) {
			value /= s->step;
			i++;
		}
	}
	snprintf(suffix, sizeof(suffix), "%s%s", s == &own && unit && *unit ? " " : "",
		 s == &own ? (unit ? unit : "") : s->suffixes[i]);
	if (i == 0 && value == floor(value) && fabs(value) < 1e15)
		snprintf(buf, size, "%.0f%s", value, suffix);
	else
		units_print4(value, suffix, buf, size);
	return buf;
}
