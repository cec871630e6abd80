/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of core/io/cpus. */
#include "core/io/cpus.h"
#include "tests/unit/io_script.h"

void test_io_cpus(void);

static void test_parse(void)
{
	static const char *const bad[] = { "",	 ",",  "1,",   "a",    "3-1",
					   "1-", "-1", "1 ,2", "1024", "0x1" };
	struct err e = { 0 };
	cpu_set_t set, own;

	CU_ASSERT_EQUAL(cpus_parse("0,2-4,2", &set, &e), 0);
	CU_ASSERT_EQUAL(CPU_COUNT(&set), 4);
	CU_ASSERT_TRUE(CPU_ISSET(0, &set) && CPU_ISSET(2, &set) && CPU_ISSET(4, &set));
	cpus_of_worker(&set, CPUS_SHARED, 7, &own);
	CU_ASSERT_TRUE(CPU_EQUAL(&set, &own));
	for (uint32_t i = 0; i < 8; i++) {
		static const size_t want[] = { 0, 2, 3, 4 };

		cpus_of_worker(&set, CPUS_SPLIT, i, &own);
		CU_ASSERT_EQUAL(CPU_COUNT(&own), 1);
		CU_ASSERT_TRUE(CPU_ISSET(want[i % 4], &own));
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		err_clear(&e);
		CU_ASSERT_EQUAL(cpus_parse(bad[i], &set, &e), -EINVAL);
	}
}

static cpu_set_t seen;

static int look_queue(struct fst_engine *e, struct fst_io *io)
{
	(void)e;
	sched_getaffinity(0, sizeof(seen), &seen);
	io->result = (int64_t)io->length;
	return 1;
}

static void test_bound(void)
{
	static const struct fst_engine_ops ops = { .struct_size = sizeof(ops),
						   .flags = FST_ENGINE_SYNC | FST_ENGINE_NO_FILES,
						   .queue = look_queue };
	static const struct fstrial_plugin engine = SCRIPT_ENGINE(&ops);
	static const struct fstrial_plugin plain = PLAN_WORKLOAD(.version = "1");
	struct plan p = { .n = 1 };
	struct io_host h;
	cpu_set_t before, after;
	char cpu[16];
	size_t one = 0;

	sched_getaffinity(0, sizeof(before), &before);
	while (!CPU_ISSET(one, &before))
		one++;
	snprintf(cpu, sizeof(cpu), "%zu", one);
	io_host_init(&h, &plain, &engine, &p);
	h.opt.cpus_allowed = cpu;
	CU_ASSERT_EQUAL(io_host_run(&h), 0);
	CU_ASSERT_EQUAL(CPU_COUNT(&seen), 1);
	CU_ASSERT_TRUE(CPU_ISSET(one, &seen));
	/* The rest of the process goes where it did. */
	sched_getaffinity(0, sizeof(after), &after);
	CU_ASSERT_TRUE(CPU_EQUAL(&before, &after));
	h.opt.cpus_allowed = "1023";
	CU_ASSERT_EQUAL(io_host_run(&h), -EINVAL);
	CU_ASSERT_PTR_NOT_NULL(strstr(h.err.text, "cpus_allowed = \"1023\": worker 0 has no"));
	io_host_free(&h);
}

void test_io_cpus(void)
{
	CU_pSuite s = CU_add_suite("io cpus", NULL, NULL);

	CU_ADD_TEST(s, test_parse);
	CU_ADD_TEST(s, test_bound);
}
