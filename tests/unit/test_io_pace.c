/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of core/io/pace: how many I/Os are handed over at once. */
#include <CUnit/CUnit.h>

#include "core/io/pace.h"

void test_io_pace(void);

/* A device that does everything inside of the call: a call costs so much, and each I/O. */
struct device {
	uint64_t call_ns, io_ns;
	uint64_t now;
};

/* Rounds of full batches; the device completes all of them, or all but one. */
static void run(struct pace *p, struct device *d, int rounds, bool all)
{
	for (int i = 0; i < rounds; i++) {
		uint32_t n = p->limit;
		uint64_t ns = d->call_ns + n * d->io_ns;

		d->now += ns;
		if (pace_cares(p, all, d->now))
			pace_round(p, n, all, n < p->depth, ns, d->now);
	}
}

static void test_settles(void)
{
	static const struct {
		uint64_t call_ns, io_ns;
		uint32_t depth, limit;
	} cases[] = {
		{ 0, 500, 32, 1 },     /* a call for nothing: each I/O by itself */
		{ 10, 500, 32, 1 },    /* 2 % is not worth waiting for */
		{ 100, 500, 32, 4 },   /* 20 % a single one, 5 % at 4 */
		{ 1260, 600, 32, 32 }, /* calls are dear: as many as there are */
		{ 1260, 600, 1024, 32 }, { 100, 20000, 32, 1 },
		{ 100, 500, 2, 2 },	 { 100, 500, 20, 4 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct device d = { cases[i].call_ns, cases[i].io_ns, 0 };
		struct pace p;

		pace_init(&p, cases[i].depth, 0);
		CU_ASSERT_EQUAL(p.limit, cases[i].depth);
		run(&p, &d, PACE_INLINE - 1, true);
		CU_ASSERT_EQUAL(p.limit, cases[i].depth);
		run(&p, &d, PACE_SIZES * PACE_SAMPLES * PACE_SAMPLE, true);
		CU_ASSERT_EQUAL(p.state, PACE_SETTLED);
		CU_ASSERT_EQUAL(p.limit, cases[i].limit);
	}
}

/* Something stays in flight: the device works by itself, and gets all that the depth allows. */
static void test_leaves(void)
{
	struct device d = { 100, 500, 0 };
	struct pace p;

	pace_init(&p, 32, 0);
	run(&p, &d, 1000, false);
	CU_ASSERT_EQUAL(p.state, PACE_FULL);
	CU_ASSERT_EQUAL(p.limit, 32);
	run(&p, &d, PACE_INLINE, true);
	CU_ASSERT_EQUAL(p.state, PACE_TRYING);
	CU_ASSERT_EQUAL(p.limit, 1);
	run(&p, &d, 1, false);
	CU_ASSERT_EQUAL(p.state, PACE_FULL);
	CU_ASSERT_EQUAL(p.limit, 32);
	/* Rounds that complete all must come in a row. */
	for (int i = 0; i < 10; i++) {
		run(&p, &d, PACE_INLINE - 1, true);
		run(&p, &d, 1, false);
	}
	CU_ASSERT_EQUAL(p.state, PACE_FULL);
	run(&p, &d, 20000, true);
	CU_ASSERT_EQUAL(p.state, PACE_SETTLED);
	CU_ASSERT_EQUAL(p.limit, 4);
	run(&p, &d, 1, false);
	CU_ASSERT_EQUAL(p.limit, 32);
}

/* What a call costs may change. */
static void test_again(void)
{
	struct device d = { 0, 500, 0 };
	struct pace p;

	pace_init(&p, 32, 0);
	run(&p, &d, 20000, true);
	CU_ASSERT_EQUAL(p.limit, 1);
	d.call_ns = 100;
	run(&p, &d, 100, true);
	CU_ASSERT_EQUAL(p.limit, 1);
	d.now += PACE_AGAIN_NS;
	run(&p, &d, 20000, true);
	CU_ASSERT_EQUAL(p.state, PACE_SETTLED);
	CU_ASSERT_EQUAL(p.limit, 4);
}

/* A disturbed sample does not decide. */
static void test_disturbed(void)
{
	struct device d = { 100, 500, 0 };
	struct pace p;

	pace_init(&p, 32, 0);
	run(&p, &d, PACE_INLINE, true);
	while (p.state == PACE_TRYING) {
		d.call_ns = p.n_samples / 6 % 4 ? 4000000 : 100;
		run(&p, &d, 1, true);
	}
	CU_ASSERT_EQUAL(p.limit, 4);
}

static void test_asked_for(void)
{
	struct device d = { 100, 500, 0 };
	struct pace p;

	pace_init(&p, 32, 5);
	run(&p, &d, 20000, true);
	run(&p, &d, 10, false);
	CU_ASSERT_EQUAL(p.limit, 5);
	pace_init(&p, 32, 50);
	CU_ASSERT_EQUAL(p.limit, 32);
}

void test_io_pace(void)
{
	CU_pSuite s = CU_add_suite("io/pace", NULL, NULL);

	CU_ADD_TEST(s, test_settles);
	CU_ADD_TEST(s, test_leaves);
	CU_ADD_TEST(s, test_again);
	CU_ADD_TEST(s, test_disturbed);
	CU_ADD_TEST(s, test_asked_for);
}
