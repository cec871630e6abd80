/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of core/param/number. */
#include <CUnit/CUnit.h>
#include <errno.h>
#include <string.h>

#include "core/param/number.h"
#include "core/util/str.h"

void test_param_number(void);

static const struct param_names names = { .ram = 1ULL << 34,
					  .cpus = 6,
					  .target_size = 10000000000ULL, .target_count = 3 };
static const struct param_names nothing = { .cpus = 1 };

static void test_sizes(void)
{
	static const struct {
		const char *text;
		uint64_t bytes;
	} rows[] = {
		{ "4KiB", 4096 },
		{ "0", 0 },
		{ "1.5GiB", 1610612736 },
		{ "2300B", 2300 },
		{ "2*ram", 1ULL << 35 },
		{ "ram", 1ULL << 34 },
		{ "ram/4", 1ULL << 32 },
		{ "ram / 4", 1ULL << 32 },
		{ "ram*2", 1ULL << 35 },
		{ " 2 * ram ", 1ULL << 35 },
		{ "0.5*ram", 1ULL << 33 },
		{ "target.size/2", 4999999488 }, /* whole 4 KiB blocks */
		{ "50%", 4999999488 },
		{ "100%", 9999998976 },
		{ "12.5%", 1249996800 },
		{ "target.size - 1GiB", 8926257152 },
		{ "50% + 4KiB", 5000003584 },
		{ "2*(ram + 1GiB)", 36507222016 },
		{ "3*4KiB", 12288 },
		{ "10KiB/3", 3413 },
		{ "cpus*1MiB", 6291456 },
		{ "1GiB*cpus/2", 3221225472 },
		{ "1e3*1MiB", 1048576000 },
		{ "2.5e-1*ram", 1ULL << 32 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct err e = { 0 };
		uint64_t bytes = 1;

		CU_ASSERT_EQUAL(number_parse_size(rows[i].text, &names, &bytes, &e), 0);
		CU_ASSERT_EQUAL(bytes, rows[i].bytes);
		if (bytes != rows[i].bytes)
			fprintf(stderr, "\n%s: %llu %s\n", rows[i].text, (unsigned long long)bytes,
				e.text);
	}
}

static void test_bad_sizes(void)
{
	static const struct {
		const char *text, *why;
	} rows[] = {
		{ "2*4", "needs a unit" },
		{ "1e", "unknown unit" },
		{ "1e3", "unknown unit" },
		{ "ram*ram", "two sizes or times cannot be multiplied" },
		{ "ram/ram", "needs a unit" },
		{ "ram/0", "division by zero" },
		{ "rma/2", "did you mean \"ram\"" },
		{ "2*10s", "not a size" },
		{ "1GiB - ram", "is negative" },
		{ "ram*4294967296", "is too large" },
		{ "(ram", "\")\" is missing" },
		{ "ram)", "not a number" },
		{ "", "number is missing" },
		{ "2*", "number is missing" },
		{ "ram 2", "not a number" },
		{ "64 MiB", "no blank between" },
		{ "*2", "not a number" },
		{ "4KiB + 1s", "like can be added to like" },
		{ "2*4x", "unknown unit" },
		{ "..5*ram", "not a number" },
		{ "1..5*ram", "not a number" },
		{ "%", "not a number" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct err e = { 0 };
		uint64_t bytes;

		CU_ASSERT_NOT_EQUAL(number_parse_size(rows[i].text, &names, &bytes, &e), 0);
		CU_ASSERT_PTR_NOT_NULL(strstr(e.text, rows[i].why));
		if (!strstr(e.text, rows[i].why))
			fprintf(stderr, "\n%s: %s\n", rows[i].text, e.text);
	}
}

static void test_not_known(void)
{
	struct err e = { 0 };
	uint64_t v;

	CU_ASSERT_NOT_EQUAL(number_parse_size("50%", &nothing, &v, &e), 0);
	CU_ASSERT_STRING_EQUAL(e.text, "the size of the target is not known here");
	err_clear(&e);
	CU_ASSERT_NOT_EQUAL(number_parse_size("target.size/2", &nothing, &v, &e), 0);
	CU_ASSERT_STRING_EQUAL(e.text, "target.size is not known here");
	err_clear(&e);
	CU_ASSERT_NOT_EQUAL(number_parse_size("2*ram", NULL, &v, &e), 0);
}

static void test_depth(void)
{
	char text[4096];
	struct err e = { 0 };
	uint64_t v;

	memset(text, '(', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	CU_ASSERT_NOT_EQUAL(number_parse_u64(text, &names, &v, &e), 0);
	CU_ASSERT_STRING_EQUAL(e.text, "too many parentheses");
}

static void test_integers(void)
{
	uint64_t u;
	int64_t i;

	CU_ASSERT_EQUAL(number_parse_u64("2*cpus", &names, &u, NULL), 0);
	CU_ASSERT_EQUAL(u, 12);
	CU_ASSERT_EQUAL(number_parse_u64("cpus", &names, &u, NULL), 0);
	CU_ASSERT_EQUAL(u, 6);
	CU_ASSERT_EQUAL(number_parse_u64("cpus/4", &names, &u, NULL), 0);
	CU_ASSERT_EQUAL(u, 1);
	CU_ASSERT_EQUAL(number_parse_u64("18446744073709551615", &names, &u, NULL), 0);
	CU_ASSERT_EQUAL(u, UINT64_MAX);
	CU_ASSERT_EQUAL(number_parse_u64("2*target.count", &names, &u, NULL), 0);
	CU_ASSERT_EQUAL(u, 6);
	CU_ASSERT_EQUAL(number_parse_u64("target.size/1GiB", &names, &u, NULL), 0);
	CU_ASSERT_EQUAL(u, 9);
	CU_ASSERT_NOT_EQUAL(number_parse_u64("4KiB", &names, &u, NULL), 0);
	CU_ASSERT_NOT_EQUAL(number_parse_u64("ram", &names, &u, NULL), 0);
	CU_ASSERT_NOT_EQUAL(number_parse_u64("-1", &names, &u, NULL), 0);
	CU_ASSERT_NOT_EQUAL(number_parse_u64("2-3", &names, &u, NULL), 0);
	CU_ASSERT_NOT_EQUAL(number_parse_u64("abc", &names, &u, NULL), 0);
	CU_ASSERT_EQUAL(number_parse_i64("-9223372036854775808", &names, &i, NULL), 0);
	CU_ASSERT_EQUAL(i, INT64_MIN);
	CU_ASSERT_EQUAL(number_parse_i64("2*cpus", &names, &i, NULL), 0);
	CU_ASSERT_EQUAL(i, 12);
	CU_ASSERT_NOT_EQUAL(number_parse_i64("2*9223372036854775807", &names, &i, NULL), 0);
}

static void test_times_and_decimals(void)
{
	uint64_t t;
	double f;

	CU_ASSERT_EQUAL(number_parse_time("10s", &names, &t, NULL), 0);
	CU_ASSERT_EQUAL(t, 10000000000ULL);
	CU_ASSERT_EQUAL(number_parse_time("2*1.5m", &names, &t, NULL), 0);
	CU_ASSERT_EQUAL(t, 180000000000ULL);
	CU_ASSERT_EQUAL(number_parse_time("1h/2", &names, &t, NULL), 0);
	CU_ASSERT_EQUAL(t, 1800000000000ULL);
	CU_ASSERT_NOT_EQUAL(number_parse_time("2*ram", &names, &t, NULL), 0);
	CU_ASSERT_NOT_EQUAL(number_parse_time("10", &names, &t, NULL), 0);
	CU_ASSERT_EQUAL(number_parse_f64("0.25", &names, &f, NULL), 0);
	CU_ASSERT_EQUAL(f, 0.25);
	CU_ASSERT_EQUAL(number_parse_f64("1/cpus", &names, &f, NULL), 0);
	CU_ASSERT_DOUBLE_EQUAL(f, 1.0 / 6, 1e-12);
	CU_ASSERT_NOT_EQUAL(number_parse_f64("ram", &names, &f, NULL), 0);
}

static void test_same(void)
{
	CU_ASSERT_TRUE(number_same("8MiB", "8m", &names));
	CU_ASSERT_TRUE(number_same("4", "4.0", &names));
	CU_ASSERT_TRUE(number_same("xfs", "xfs", &names));
	CU_ASSERT_FALSE(number_same("xfs", "ext4", &names));
	CU_ASSERT_FALSE(number_same("4", "xfs", &names));
	CU_ASSERT_FALSE(number_same("0s", "0B", &names));
	CU_ASSERT_TRUE(number_same("5m", "300s", &names));
	CU_ASSERT_TRUE(number_same("5m", "5MiB", &names));
}

void test_param_number(void)
{
	CU_pSuite s = CU_add_suite("param number", NULL, NULL);

	CU_add_test(s, "sizes", test_sizes);
	CU_add_test(s, "sizes that are none", test_bad_sizes);
	CU_add_test(s, "names that are not known yet", test_not_known);
	CU_add_test(s, "nesting has an end", test_depth);
	CU_add_test(s, "integers", test_integers);
	CU_add_test(s, "times and decimals", test_times_and_decimals);
	CU_add_test(s, "the same number", test_same);
}
