/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Several values of one metric in the same unit. */
#include "core/report/scale.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/util/macro.h"
#include "core/util/str.h"
#include "core/util/units.h"

/* Units that units_format_metric() gives, without the "/s" of rates. */
static const struct {
	const char *name;
	double divisor;
} scale_units[] = {
	{ "KiB", 0x1p10 }, { "MiB", 0x1p20 }, { "GiB", 0x1p30 }, { "TiB", 0x1p40 },
	{ "PiB", 0x1p50 }, { "us", 1e3 },     { "ms", 1e6 },	 { "s", 1e9 },
	{ "k", 1e3 },	   { "M", 1e6 },      { "G", 1e9 },
};

void scale_for(double value, const char *unit, struct scale *s)
{
	char text[64], name[sizeof(s->unit)];
	const char *blank;
	size_t n;

	units_format_metric(isfinite(value) ? value : 0, unit, text, sizeof(text));
	blank = strchr(text, ' ');
	snprintf(s->unit, sizeof(s->unit), "%s", blank ? blank + 1 : "");
	s->divisor = 1;
	s->places = 0;
	n = strlen(s->unit);
	snprintf(name, sizeof(name), "%s", s->unit);
	if (str_ends(name, "/s"))
		name[n - 2] = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(scale_units); i++) {
		if (str_eq(name, scale_units[i].name))
			s->divisor = scale_units[i].divisor;
	}
}

const char *scale_format(double value, const struct scale *s, char *buf, size_t size)
{
	double v = value / s->divisor, a = fabs(v);
	size_t n;

	if (!isfinite(v)) {
		snprintf(buf, size, "-");
		return buf;
	}
	if (s->places) {
		/* Halves away from zero, as spreadsheets have it, not to even as printf() does. */
		snprintf(buf, size, "%.*f", (int)s->places - 1,
			 round(v * pow(10, s->places - 1)) / pow(10, s->places - 1));
		return buf;
	}
	if (a >= 999.95 || (s->divisor == 1 && v == floor(v)))
		snprintf(buf, size, "%.0f", v);
	else if (a >= 1e-3 || a == 0)
		snprintf(buf, size, "%#.4g", v);
	else
		snprintf(buf, size, "%.3e", v);
	n = strlen(buf);
	if (n && buf[n - 1] == '.')
		buf[n - 1] = '\0';
	return buf;
}
