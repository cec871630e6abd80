/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the rows of bonnie++ 1.0x are made of. */
#include "core/record/bonnie.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/util/str.h"
#include "core/util/units.h"

#define BONNIE_CHUNK 8192 /* bytes; not printed when it is this */

#define PHASE_IO(step_)                                       \
	{                                                     \
		step_, "throughput", "bytes/s", "KiB/s", 1024 \
	}
#define PHASE_OPS(step_)                        \
	{                                       \
		step_, "rate", "ops/s", "/s", 1 \
	}

const struct bonnie_phase bonnie_phases[BONNIE_PHASES] = {
	PHASE_IO("putc"),	 PHASE_IO("write"),	PHASE_IO("rewrite"),
	PHASE_IO("getc"),	 PHASE_IO("read"),	PHASE_OPS("seeks"),
	PHASE_OPS("seq_create"), PHASE_OPS("seq_read"), PHASE_OPS("seq_delete"),
	PHASE_OPS("ran_create"), PHASE_OPS("ran_read"), PHASE_OPS("ran_delete"),
};

/* A number of digits, with decimals perhaps, from *at on; moves *at behind it. */
static bool bonnie_digits(const char **at, double *v)
{
	size_t n = strspn(*at, "0123456789.");
	char text[40];
	bool good;

	if (!n || n >= sizeof(text) || **at == '.')
		return false;
	memcpy(text, *at, n);
	text[n] = '\0';
	good = units_parse_f64(text, v, NULL) == 0;
	*at += n;
	return good;
}

static bool bonnie_amount(const char **at, double *bytes)
{
	static const char letters[] = "kmgt";
	const char *letter;

	if (!bonnie_digits(at, bytes))
		return false;
	letter = **at ? strchr(letters, **at | 0x20) : NULL;
	if (letter) {
		*bytes = ldexp(*bytes, 10 * (int)(letter - letters + 1));
		(*at)++;
	}
	return true;
}

bool bonnie_parse_size(const char *text, double *bytes, double *chunk)
{
	*chunk = NAN;
	if (!bonnie_amount(&text, bytes))
		return false;
	if (*text == ':') {
		text++;
		if (!bonnie_amount(&text, chunk))
			return false;
	}
	return !*text;
}

bool bonnie_parse_files(const char *text, struct bonnie_files *f)
{
	*f = (struct bonnie_files){ NAN, NAN, NAN, NAN, NULL };
	if (!bonnie_digits(&text, &f->n))
		return false;
	f->n *= BONNIE_FILES_UNIT;
	f->links = str_eq(text, ":link") ? "link" : str_eq(text, ":symlink") ? "symlink" : NULL;
	if (f->links)
		return true;
	if (*text == ':') {
		text++;
		if (!bonnie_digits(&text, &f->max) || *text++ != ':' ||
		    !bonnie_digits(&text, &f->min))
			return false;
	}
	/* Some rows carry the number of directories behind a colon, as it is given on the command line. */
	if (*text == '/' || *text == ':') {
		text++;
		if (!bonnie_digits(&text, &f->dirs))
			return false;
	}
	return !*text;
}

/* Without decimals where there are none. */
static void bonnie_number(double v, struct strbuf *out)
{
	char text[40];

	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, v);
		if (strtod(text, NULL) == v)
			break;
	}
	strbuf_addstr(out, text);
}

static void bonnie_format_amount(double bytes, struct strbuf *out)
{
	static const char letters[] = "kMGT";
	int i = 0;

	while (i < 4 && fmod(bytes, ldexp(1, 10 * (i + 1))) == 0)
		i++;
	bonnie_number(ldexp(bytes, -10 * i), out);
	if (i)
		strbuf_addch(out, letters[i - 1]);
}

void bonnie_format_size(double bytes, double chunk, struct strbuf *out)
{
	if (isnan(bytes))
		return;
	/* As bonnie++ does: gibibytes where they are whole, else mebibytes. */
	if (fmod(bytes, 0x1p40) == 0)
		strbuf_addf(out, "%.0fG", bytes / 0x1p30);
	else
		bonnie_format_amount(bytes, out);
	if (isnan(chunk) || chunk == BONNIE_CHUNK)
		return;
	strbuf_addch(out, ':');
	bonnie_format_amount(chunk, out);
}

void bonnie_format_files(const struct bonnie_files *f, struct strbuf *out)
{
	if (isnan(f->n))
		return;
	bonnie_number(f->n / BONNIE_FILES_UNIT, out);
	if (f->links)
		strbuf_addf(out, ":%s", f->links);
	if (!isnan(f->max)) {
		strbuf_addch(out, ':');
		bonnie_number(f->max, out);
		strbuf_addch(out, ':');
		bonnie_number(isnan(f->min) ? 0 : f->min, out);
	}
	if (!isnan(f->dirs)) {
		strbuf_addch(out, '/');
		bonnie_number(f->dirs, out);
	}
}
