/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of core/util/clock. */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "core/util/clock.h"
#include "core/util/macro.h"

static void test_monotonic(void)
{
	uint64_t last = clock_now_ns();
	int bad = 0;

	for (int i = 0; i < 1000; i++) {
		uint64_t now = clock_now_ns();

		bad += now < last;
		last = now;
	}
	CU_ASSERT_EQUAL(bad, 0);
}

static void test_wall(void)
{
	uint64_t s = clock_wall_ns() / NSEC_PER_SEC, t = (uint64_t)time(NULL);

	CU_ASSERT_TRUE(s + 2 >= t && s <= t + 2);
}

static void test_format(void)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} rows[] = {
		{ 0, "1970-01-01T00:00:00Z" },
		{ 999999999ULL, "1970-01-01T00:00:00Z" },
		{ 951782400ULL * NSEC_PER_SEC, "2000-02-29T00:00:00Z" },
		{ 1796045013ULL * NSEC_PER_SEC, "2026-11-30T13:23:33Z" },
		{ 4294967296ULL * NSEC_PER_SEC, "2106-02-07T06:28:16Z" },
		{ UINT64_MAX, "2554-07-21T23:34:33Z" },
	};
	char buf[32];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CU_ASSERT_STRING_EQUAL(clock_format_utc(rows[i].ns, buf, sizeof(buf)),
				       rows[i].text);
}

static void test_format_ignores_zone(void)
{
	char buf[32];

	setenv("TZ", "America/New_York", 1);
	tzset();
	CU_ASSERT_STRING_EQUAL(clock_format_utc(0, buf, sizeof(buf)), "1970-01-01T00:00:00Z");
	unsetenv("TZ");
	tzset();
}

void test_util_clock(void);

void test_util_clock(void)
{
	static const struct {
		const char *name;
		CU_TestFunc fn;
	} tests[] = {
		{ "monotonic", test_monotonic },
		{ "wall", test_wall },
		{ "format", test_format },
		{ "format ignores the zone", test_format_ignores_zone },
	};
	CU_pSuite suite = CU_add_suite("util clock", NULL, NULL);

	for (size_t i = 0; i < ARRAY_SIZE(tests); i++) {
		if (!suite || !CU_add_test(suite, tests[i].name, tests[i].fn)) {
			fprintf(stderr, "%s: %s\n", tests[i].name, CU_get_error_msg());
			abort();
		}
	}
}
