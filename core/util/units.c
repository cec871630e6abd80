/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sizes and times with units, strictly parsed; units_number.c has plain numbers. */
#include "core/util/units.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <strings.h>

#include "core/util/str.h"

typedef unsigned __int128 u128;

/*
 * A decimal number is kept as mantissa / 10^scale. With the mantissa below 2^77 and the largest
 * unit at 2^50 nothing here overflows 128 bits, and every size or time that fits can be written.
 */
#define UNITS_MANTISSA_MAX ((u128)1 << 77)
#define UNITS_SCALE_MAX 36

struct units_unit {
	const char *name;
	uint64_t factor;
};

struct units_kind {
	const struct units_unit *units;
	size_t n;
	const char *what;  /* "size" */
	const char *whole; /* "bytes" */
	const char *list;  /* of units, for messages */
	const char *examples[2];
};

static const struct units_unit units_sizes[] = {
	{ "B", 1 },
	{ "KiB", 1ULL << 10 }, { "k", 1ULL << 10 }, { "K", 1ULL << 10 }, { "kB", 1000ULL },
	{ "MiB", 1ULL << 20 }, { "m", 1ULL << 20 }, { "M", 1ULL << 20 }, { "MB", 1000000ULL },
	{ "GiB", 1ULL << 30 }, { "g", 1ULL << 30 }, { "G", 1ULL << 30 }, { "GB", 1000000000ULL },
	{ "TiB", 1ULL << 40 }, { "t", 1ULL << 40 }, { "T", 1ULL << 40 }, { "TB", 1000000000000ULL },
	{ "PiB", 1ULL << 50 }, { "p", 1ULL << 50 }, { "P", 1ULL << 50 },
	{ "PB", 1000000000000000ULL },
};

static const struct units_unit units_times[] = {
	{ "ns", 1 },
	{ "us", 1000ULL },
	{ "ms", 1000000ULL },
	{ "s", 1000000000ULL },
	{ "m", 60000000000ULL },
	{ "h", 3600000000000ULL },
};

static const struct units_kind units_size_kind = {
	units_sizes, ARRAY_SIZE(units_sizes), "size", "bytes",
	"B KiB MiB GiB TiB PiB, k m g t p (1024), kB MB GB TB PB (1000)", { "B", "KiB" },
};

static const struct units_kind units_time_kind = {
	units_times, ARRAY_SIZE(units_times), "time", "ns", "ns us ms s m h", { "s", "ms" },
};

struct units_number {
	u128 mantissa;
	unsigned int scale;
};

/* Appends a digit after times - 1 zeros. False when beyond exact arithmetic. */
static bool units_append(struct units_number *num, char digit, unsigned int times)
{
	while (times--) {
		num->mantissa *= 10;
		if (num->mantissa >= UNITS_MANTISSA_MAX)
			return false;
	}
	num->mantissa += (unsigned int)(digit - '0');
	return num->scale <= UNITS_SCALE_MAX;
}

/* Reads digits[.digits] up to *unit. */
static int units_scan(const char *text, const char *what, struct units_number *num,
		      const char **unit, struct err *e)
{
	unsigned int zeros = 0; /* of the fraction; they count only when another digit follows */
	const char *s = text;

	*num = (struct units_number){ 0, 0 };
	for (; isdigit((unsigned char)*s); s++) {
		if (!units_append(num, *s, 1))
			return err_set(e, ERANGE, "\"%s\": this %s is too large", text, what);
	}
	if (s != text && *s == '.' && isdigit((unsigned char)s[1])) {
		for (s++; isdigit((unsigned char)*s); s++) {
			if (*s == '0') {
				zeros++;
				continue;
			}
			num->scale += zeros + 1;
			if (num->scale > UNITS_SCALE_MAX || !units_append(num, *s, zeros + 1))
				return err_set(e, ERANGE, "\"%s\" has too many digits", text);
			zeros = 0;
		}
	}
	if (s == text || *s == '.')
		return err_set(e, EINVAL, "\"%s\" is not a %s: a number and a unit are wanted",
			       text, what);
	*unit = s;
	return 0;
}

/* The unit that was probably meant, for a hint. */
static const char *units_guess(const struct units_kind *kind, const char *unit)
{
	for (size_t i = 0; i < kind->n; i++) {
		if (strcasecmp(kind->units[i].name, unit) == 0)
			return kind->units[i].name;
	}
	return NULL;
}

static int units_unknown(const struct units_kind *kind, const char *text, const char *unit,
			 struct err *e)
{
	int digits = (int)(unit - text);
	const char *guess;

	if (isspace((unsigned char)*unit))
		return err_set(e, EINVAL, "\"%s\": no white space between or after number and unit",
			       text);
	guess = units_guess(kind, unit);
	if (guess && kind == &units_size_kind && guess[1] == 'B')
		return err_set(e, EINVAL,
			       "\"%s\": unit \"%s\" is ambiguous: write \"%.*s%s\" "
			       "(powers of 1000) or \"%.*s%ciB\" (powers of 1024)",
			       text, unit, digits, text, guess, digits, text,
			       toupper((unsigned char)guess[0]));
	if (guess)
		return err_set(e, EINVAL, "\"%s\": unknown unit \"%s\": write \"%.*s%s\"", text,
			       unit, digits, text, guess);
	return err_set(e, EINVAL, "\"%s\": unknown unit \"%s\": a %s takes %s", text, unit,
		       kind->what, kind->list);
}

static int units_convert(const char *text, const struct units_kind *kind,
			 const struct units_number *num, uint64_t factor, uint64_t *out,
			 struct err *e)
{
	u128 value = num->mantissa * factor, ten = 1;

	for (unsigned int i = 0; i < num->scale; i++)
		ten *= 10;
	if (value / ten > UINT64_MAX)
		return err_set(e, ERANGE, "\"%s\" is too large: at most %llu %s", text,
			       (unsigned long long)UINT64_MAX, kind->whole);
	if (value % ten)
		return err_set(e, EINVAL, "\"%s\" is not a whole number of %s", text, kind->whole);
	*out = (uint64_t)(value / ten);
	return 0;
}

static int units_parse(const char *text, const struct units_kind *kind, uint64_t *out,
		       struct err *e)
{
	struct units_number num;
	const char *unit = text;
	int ret;

	if (!text || !*text)
		return err_set(e, EINVAL, "a %s must not be empty", kind->what);
	if (*text == '-')
		return err_set(e, EINVAL, "\"%s\": a %s must not be negative", text, kind->what);
	ret = units_scan(text, kind->what, &num, &unit, e);
	if (ret)
		return ret;
	if (!*unit && num.mantissa == 0) {
		*out = 0;
		return 0;
	}
	if (!*unit)
		return err_set(e, EINVAL, "\"%s\" needs a unit: write \"%s%s\" or \"%s%s\"", text,
			       text, kind->examples[0], text, kind->examples[1]);
	for (size_t i = 0; i < kind->n; i++) {
		if (str_eq(unit, kind->units[i].name))
			return units_convert(text, kind, &num, kind->units[i].factor, out, e);
	}
	return units_unknown(kind, text, unit, e);
}

int units_parse_size(const char *text, uint64_t *bytes, struct err *e)
{
	return units_parse(text, &units_size_kind, bytes, e);
}

int units_parse_time(const char *text, uint64_t *ns, struct err *e)
{
	return units_parse(text, &units_time_kind, ns, e);
}
