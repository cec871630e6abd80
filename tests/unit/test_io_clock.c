/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of core/io/clock: the same time as the kernel's, and never backwards. */
#include <CUnit/CUnit.h>

#include "core/io/clock.h"

void test_io_clock(void);

static void test_agrees(void)
{
	uint64_t before, ours, after;

	io_clock_start();
	for (int i = 0; i < 1000; i++) {
		before = io_clock_kernel_ns();
		ours = io_clock_ns();
		after = io_clock_kernel_ns();
		/* Within what the calibration may be off in a second. */
		CU_ASSERT_TRUE(ours + 100000 > before);
		CU_ASSERT_TRUE(ours < after + 100000);
	}
}

static void test_forwards(void)
{
	uint64_t last = 0;
	int back = 0;

	io_clock_start();
	for (int i = 0; i < 1000000; i++) {
		uint64_t now = io_clock_ns();

		back += now < last;
		last = now;
	}
	CU_ASSERT_EQUAL(back, 0);
}

static void test_drift(void)
{
	uint64_t until;

	io_clock_start();
	until = io_clock_kernel_ns() + 5000000;
	while (io_clock_kernel_ns() < until)
		;
	CU_ASSERT_TRUE(io_clock_drift() >= 0);
	CU_ASSERT_TRUE(io_clock_drift() < 0.05);
	if (!io_clock.mult) /* this machine has no counter to trust */
		return;
	/* A counter that runs 1 % too fast. */
	io_clock.mult += io_clock.mult / 100;
	CU_ASSERT_TRUE(io_clock_drift() > 0.005);
	io_clock_start();
}

void test_io_clock(void)
{
	CU_pSuite s = CU_add_suite("io clock", NULL, NULL);

	CU_ADD_TEST(s, test_agrees);
	CU_ADD_TEST(s, test_forwards);
	CU_ADD_TEST(s, test_drift);
}
