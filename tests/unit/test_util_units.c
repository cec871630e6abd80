/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of core/util/units: sizes, times, numbers, and their text. */
#include <CUnit/CUnit.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/util/prng.h"
#include "core/util/units.h"

struct parse_row {
	const char *text;
	int ret;
	uint64_t value;
	const char *message; /* part of it */
};

static void check_rows(const struct parse_row *rows, size_t n,
		       int (*parse)(const char *text, uint64_t *out, struct err *e))
{
	for (size_t i = 0; i < n; i++) {
		const struct parse_row *r = &rows[i];
		struct err e = { 0, "" };
		uint64_t value = 0xdead;
		int ret = parse(r->text, &value, &e);
		bool good = ret == r->ret && value == (ret ? 0xdead : r->value) && e.code == -ret &&
			    (!r->message || strstr(e.text, r->message));

		if (!good)
			printf("\n  \"%s\": %d %llu: %s\n", r->text ? r->text : "(null)", ret,
			       (unsigned long long)value, e.text);
		CU_ASSERT_TRUE(good);
	}
}

static void test_sizes(void)
{
	static const struct parse_row rows[] = {
		{ "0", 0, 0, NULL },
		{ "0.0", 0, 0, NULL },
		{ "0B", 0, 0, NULL },
		{ "1B", 0, 1, NULL },
		{ "4k", 0, 4096, NULL },
		{ "4K", 0, 4096, NULL },
		{ "4KiB", 0, 4096, NULL },
		{ "4kB", 0, 4000, NULL },
		{ "1m", 0, 1048576, NULL },
		{ "1MB", 0, 1000000, NULL },
		{ "1g", 0, 1073741824, NULL },
		{ "1.5GiB", 0, 1610612736, NULL },
		{ "1.50000000000000000000000000000000000000000GiB", 0, 1610612736, NULL },
		{ "0.1kB", 0, 100, NULL },
		{ "0.001kB", 0, 1, NULL },
		{ "5GB", 0, 5000000000ULL, NULL },
		{ "2t", 0, 2ULL << 40, NULL },
		{ "1TB", 0, 1000000000000ULL, NULL },
		{ "3PiB", 0, 3ULL << 50, NULL },
		{ "1PB", 0, 1000000000000000ULL, NULL },
		{ "007k", 0, 7168, NULL },
		{ "9007199254740993B", 0, 9007199254740993ULL, NULL }, /* not a double */
		{ "8.00000000000000088817841970012523233890533447265625PiB", -ERANGE, 0, "digits" },
		{ "0.000000000931322574615478515625GiB", 0, 1, NULL },
		{ "18446744073709551615B", 0, UINT64_MAX, NULL },
		{ "18446744073709551616B", -ERANGE, 0, "too large" },
		{ "16383.999PiB", -EINVAL, 0, "not a whole number of bytes" },
		{ "16383PiB", 0, 16383ULL << 50, NULL },
		{ "16384PiB", -ERANGE, 0, "too large" },
		{ "17179869184GiB", -ERANGE, 0, "too large" },
		{ "99999999999999999999999999999999999999999999999999B", -ERANGE, 0, "too large" },
		{ "0.3KiB", -EINVAL, 0, "not a whole number of bytes" },
		{ "0.00000000000000000000000000000000000000000000001k", -ERANGE, 0, "many digits" },
	};

	check_rows(rows, ARRAY_SIZE(rows), units_parse_size);
}

static void test_bad_sizes(void)
{
	static const struct parse_row rows[] = {
		{ NULL, -EINVAL, 0, "must not be empty" },
		{ "", -EINVAL, 0, "must not be empty" },
		{ "5", -EINVAL, 0, "\"5\" needs a unit: write \"5B\" or \"5KiB\"" },
		{ "-1k", -EINVAL, 0, "must not be negative" },
		{ "+1k", -EINVAL, 0, "is not a size" },
		{ "k", -EINVAL, 0, "is not a size" },
		{ ".5g", -EINVAL, 0, "is not a size" },
		{ "5.g", -EINVAL, 0, "is not a size" },
		{ "1.2.3g", -EINVAL, 0, "is not a size" },
		{ "1,5g", -EINVAL, 0, "unknown unit" },
		{ "1 g", -EINVAL, 0, "white space" },
		{ " 1g", -EINVAL, 0, "is not a size" },
		{ "1g ", -EINVAL, 0, "unknown unit" },
		{ "1kb", -EINVAL, 0, "write \"1kB\" (powers of 1000) or \"1KiB\" (powers of" },
		{ "2Kb", -EINVAL, 0, "ambiguous" },
		{ "1KB", -EINVAL, 0, "ambiguous" },
		{ "1.5mb", -EINVAL, 0, "write \"1.5MB\" (powers of 1000) or \"1.5MiB\"" },
		{ "1gib", -EINVAL, 0, "write \"1GiB\"" },
		{ "1b", -EINVAL, 0, "write \"1B\"" },
		{ "1e3B", -EINVAL, 0, "unknown unit \"e3B\"" },
		{ "0x10B", -EINVAL, 0, "unknown unit" },
		{ "1EiB", -EINVAL, 0, "unknown unit" },
		{ "10s", -EINVAL, 0, "unknown unit \"s\": a size takes B KiB" },
		{ "1\xc2\xb5", -EINVAL, 0, "unknown unit" },
	};

	check_rows(rows, ARRAY_SIZE(rows), units_parse_size);
}

static void test_times(void)
{
	static const struct parse_row rows[] = {
		{ "0", 0, 0, NULL },
		{ "0s", 0, 0, NULL },
		{ "7ns", 0, 7, NULL },
		{ "1us", 0, 1000, NULL },
		{ "1.5ms", 0, 1500000, NULL },
		{ "0.000000001s", 0, 1, NULL },
		{ "10s", 0, 10000000000ULL, NULL },
		{ "2m", 0, 120000000000ULL, NULL },
		{ "1.5h", 0, 5400000000000ULL, NULL },
		{ "18446744073709551615ns", 0, UINT64_MAX, NULL },
		{ "5124095h", 0, 5124095ULL * 3600000000000ULL, NULL },
		{ "5124096h", -ERANGE, 0, "too large" },
		{ "0.5ns", -EINVAL, 0, "not a whole number of ns" },
		{ "5", -EINVAL, 0, "write \"5s\" or \"5ms\"" },
		{ "-5s", -EINVAL, 0, "must not be negative" },
		{ "5S", -EINVAL, 0, "write \"5s\"" },
		{ "5min", -EINVAL, 0, "a time takes ns us ms s m h" },
		{ "5k", -EINVAL, 0, "unknown unit" },
		{ "", -EINVAL, 0, "a time must not be empty" },
	};

	check_rows(rows, ARRAY_SIZE(rows), units_parse_time);
}

static void test_u64(void)
{
	static const struct parse_row rows[] = {
		{ "0", 0, 0, NULL },
		{ "2147483648", 0, 2147483648ULL, NULL },
		{ "5000000000", 0, 5000000000ULL, NULL },
		{ "010", 0, 10, NULL },
		{ "0x1F", 0, 31, NULL },
		{ "0XffFFffFFffFFffFF", 0, UINT64_MAX, NULL },
		{ "18446744073709551615", 0, UINT64_MAX, NULL },
		{ "18446744073709551616", -ERANGE, 0, "too large" },
		{ "0x10000000000000000", -ERANGE, 0, "too large" },
		{ "99999999999999999999999", -ERANGE, 0, "too large" },
		{ "-1", -EINVAL, 0, "must not be negative" },
		{ "+1", -EINVAL, 0, "not a whole number" },
		{ "1.0", -EINVAL, 0, "not a whole number" },
		{ "4k", -EINVAL, 0, "unexpected \"k\"" },
		{ "0x", -EINVAL, 0, "not a whole number" },
		{ "1f", -EINVAL, 0, "unexpected" },
		{ " 1", -EINVAL, 0, "not a whole number" },
		{ "1 ", -EINVAL, 0, "unexpected" },
		{ "", -EINVAL, 0, "empty" },
		{ NULL, -EINVAL, 0, "empty" },
	};

	check_rows(rows, ARRAY_SIZE(rows), units_parse_u64);
}

static void test_i64(void)
{
	static const struct {
		const char *text;
		int ret;
		int64_t value;
	} rows[] = {
		{ "0", 0, 0 },
		{ "-0", 0, 0 },
		{ "+7", 0, 7 },
		{ "-7", 0, -7 },
		{ "-0x10", 0, -16 },
		{ "9223372036854775807", 0, INT64_MAX },
		{ "9223372036854775808", -ERANGE, 0 },
		{ "-9223372036854775808", 0, INT64_MIN },
		{ "-9223372036854775809", -ERANGE, 0 },
		{ "18446744073709551616", -ERANGE, 0 },
		{ "--1", -EINVAL, 0 },
		{ "-", -EINVAL, 0 },
		{ "", -EINVAL, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		int64_t value = 0;

		CU_ASSERT_EQUAL(units_parse_i64(rows[i].text, &value, NULL), rows[i].ret);
		CU_ASSERT_EQUAL(value, rows[i].value);
	}
}

static void test_f64(void)
{
	static const struct {
		const char *text;
		int ret;
		double value;
	} rows[] = {
		{ "0", 0, 0 },	       { "1", 0, 1 },	       { "-1.5", 0, -1.5 },
		{ "+2.25", 0, 2.25 },  { "1e3", 0, 1000 },     { "1.5E-2", 0, 0.015 },
		{ "0.1", 0, 0.1 },     { "1e400", -ERANGE, 0 }, { "-1e400", -ERANGE, 0 },
		{ "nan", -EINVAL, 0 }, { "inf", -EINVAL, 0 },  { "0x10", -EINVAL, 0 },
		{ "1,5", -EINVAL, 0 }, { "1.", -EINVAL, 0 },   { ".5", -EINVAL, 0 },
		{ "1e", -EINVAL, 0 },  { "1 ", -EINVAL, 0 },   { " 1", -EINVAL, 0 },
		{ "", -EINVAL, 0 },    { "5%", -EINVAL, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct err e = { 0, "" };
		double value = 0;

		CU_ASSERT_EQUAL(units_parse_f64(rows[i].text, &value, &e), rows[i].ret);
		CU_ASSERT_EQUAL(value, rows[i].value);
		CU_ASSERT_EQUAL(e.code, -rows[i].ret);
	}
}

/* Where a locale with a decimal comma is installed, numbers are read all the same. */
static void test_f64_locale(void)
{
	static const char *const names[] = { "de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE" };
	double value = 0;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (setlocale(LC_NUMERIC, names[i]))
			break;
	}
	CU_ASSERT_EQUAL(units_parse_f64("1.5", &value, NULL), 0);
	CU_ASSERT_EQUAL(value, 1.5);
	CU_ASSERT_EQUAL(units_parse_f64("1,5", &value, NULL), -EINVAL);
	setlocale(LC_NUMERIC, "C");
}

static void test_format_size(void)
{
	static const struct {
		uint64_t bytes;
		const char *text;
	} rows[] = {
		{ 0, "0B" },			{ 1, "1B" },
		{ 1000, "1000B" },		{ 1023, "1023B" },
		{ 1024, "1KiB" },		{ 1536, "1.5KiB" },
		{ 1280, "1.25KiB" },		{ 1792, "1.75KiB" },
		{ 2300, "2300B" },		{ 65536, "64KiB" },
		{ 1048576, "1MiB" },		{ 1610612736, "1.5GiB" },
		{ 5000000000ULL, "5GB" },	{ 1000000, "1MB" },
		{ 1ULL << 40, "1TiB" },		{ 1ULL << 50, "1PiB" },
		{ 1ULL << 63, "8192PiB" },	{ UINT64_MAX, "18446744073709551615B" },
	};
	char buf[64];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CU_ASSERT_STRING_EQUAL(units_format_size(rows[i].bytes, buf, sizeof(buf)),
				       rows[i].text);
}

static void test_format_time(void)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} rows[] = {
		{ 0, "0s" },
		{ 7, "7ns" },
		{ 1000, "1us" },
		{ 1500000000ULL, "1500ms" },
		{ 10000000000ULL, "10s" },
		{ 90000000000ULL, "90s" },
		{ 120000000000ULL, "2m" },
		{ 3600000000000ULL, "1h" },
		{ UINT64_MAX, "18446744073709551615ns" },
	};
	char buf[64];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CU_ASSERT_STRING_EQUAL(units_format_time(rows[i].ns, buf, sizeof(buf)),
				       rows[i].text);
}

/* Whatever is formatted is parsed back to the same number. */
static void test_round_trip(void)
{
	struct prng p;
	int bad = 0;

	prng_seed(&p, 1, 0);
	for (int i = 0; i < 20000; i++) {
		uint64_t v = prng_next(&p) >> prng_below(&p, 64), back = 0;
		char buf[64];

		v = i % 3 == 0 ? v << prng_below(&p, 64) : i % 3 == 1 ? v / 1000 * 1000 : v;
		bad += units_parse_size(units_format_size(v, buf, sizeof(buf)), &back, NULL) ||
		       back != v;
		bad += units_parse_time(units_format_time(v, buf, sizeof(buf)), &back, NULL) ||
		       back != v;
	}
	CU_ASSERT_EQUAL(bad, 0);
}

static void test_format_metric(void)
{
	static const struct {
		double value;
		const char *unit;
		const char *text;
	} rows[] = {
		{ 5.1e8, "bytes/s", "486.4 MiB/s" },
		{ 1234567, "ns", "1.235 ms" },
		{ 1234, "ops/s", "1234 /s" },
		{ NAN, "ns", "-" },
		{ INFINITY, "ns", "-" },
		{ -INFINITY, "ops/s", "-" },
		{ 0, "bytes/s", "0 B/s" },
		{ 512, "bytes", "512 B" },
		{ 1024, "bytes", "1.000 KiB" },
		{ 1023.99 * 1024, "bytes", "1.000 MiB" },
		{ 1000, "bytes", "1000 B" },
		{ 7, "ns", "7 ns" },
		{ 7.25, "ns", "7.250 ns" },
		{ 999.99, "ns", "1.000 us" },
		{ 1.5e9, "ns", "1.500 s" },
		{ 3.6e12, "ns", "3600 s" },
		{ 12345, "ops/s", "12.35 k/s" },
		{ 1234567, "ops/s", "1.235 M/s" },
		{ 123456, "count", "123456" },
		{ 0.98765, "ratio", "0.9877" },
		{ 999.99, "ratio", "1000" },
		{ 0.5, "ops/s", "0.5000 /s" },
		{ -1234567, "ns", "-1.235 ms" },
		{ 3, "files", "3 files" },
		{ 2.5, NULL, "2.500" },
	};
	char buf[64];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		units_format_metric(rows[i].value, rows[i].unit, buf, sizeof(buf));
		if (strcmp(buf, rows[i].text))
			printf("\n  %g %s: \"%s\"\n", rows[i].value, rows[i].unit, buf);
		CU_ASSERT_STRING_EQUAL(buf, rows[i].text);
	}
}

static void test_small_buffer(void)
{
	char buf[4];

	units_format_size(1023, buf, sizeof(buf));
	CU_ASSERT_STRING_EQUAL(buf, "102");
	units_format_metric(5.1e8, "bytes/s", buf, sizeof(buf));
	CU_ASSERT_EQUAL(strlen(buf), 3);
}

void test_util_units(void);

void test_util_units(void)
{
	static const struct {
		const char *name;
		CU_TestFunc fn;
	} tests[] = {
		{ "sizes", test_sizes },
		{ "bad sizes", test_bad_sizes },
		{ "times", test_times },
		{ "u64", test_u64 },
		{ "i64", test_i64 },
		{ "f64", test_f64 },
		{ "f64 in a comma locale", test_f64_locale },
		{ "format size", test_format_size },
		{ "format time", test_format_time },
		{ "round trip", test_round_trip },
		{ "format metric", test_format_metric },
		{ "small buffer", test_small_buffer },
	};
	CU_pSuite suite = CU_add_suite("util units", NULL, NULL);

	for (size_t i = 0; i < ARRAY_SIZE(tests); i++) {
		if (!suite || !CU_add_test(suite, tests[i].name, tests[i].fn)) {
			fprintf(stderr, "%s: %s\n", tests[i].name, CU_get_error_msg());
			abort();
		}
	}
}
