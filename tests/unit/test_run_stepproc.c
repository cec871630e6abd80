/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Step processes: whatever the child does, the caller gets a reason and nothing is left running. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <CUnit/CUnit.h>

#include "core/run/stepproc.h"
#include "core/util/clock.h"
#include "core/util/file.h"
#include "core/util/json.h"
#include "core/util/str.h"

void test_run_stepproc(void);

static int fn_good(void *arg, json_t *record, struct err *e)
{
	(void)e;
	js_set(record, "word", js_str(arg));
	return 0;
}

static int fn_big(void *arg, json_t *record, struct err *e)
{
	json_t *list = js_array();

	(void)arg;
	(void)e;
	for (int i = 0; i < 100000; i++)
		js_push(list, js_u64((uint64_t)i));
	js_set(record, "list", list);
	return 0;
}

static int fn_error(void *arg, json_t *record, struct err *e)
{
	(void)arg;
	js_set(record, "kept", js_bool(1));
	return err_set(e, ENOSPC, "write data.0.0");
}

static int fn_segv(void *arg, json_t *record, struct err *e)
{
	(void)arg;
	(void)record;
	(void)e;
	signal(SIGSEGV, SIG_DFL); /* a sanitizer's handler would turn it into an exit */
	raise(SIGSEGV);
	return 0;
}

static int fn_exit(void *arg, json_t *record, struct err *e)
{
	(void)arg;
	(void)record;
	(void)e;
	_exit(0);
}

static int fn_hang(void *arg, json_t *record, struct err *e)
{
	pid_t *grandchild = arg, pid = fork();

	(void)record;
	(void)e;
	if (pid == 0)
		setpgid(0, 0); /* as an external command: out of the step's group */
	else
		*grandchild = pid;
	for (;;)
		pause();
	return 0;
}

static void run(int (*fn)(void *, json_t *, struct err *), void *arg, uint64_t timeout,
		struct stepproc_result *res)
{
	const struct stepproc sp = { .fn = fn, .arg = arg, .timeout_ns = timeout, .signal_fd = -1 };

	CU_ASSERT_FATAL(stepproc_run(&sp, res) == 0);
}

static void test_good(void)
{
	struct stepproc_result res;

	run(fn_good, (char[]){ "hello" }, 0, &res);
	CU_ASSERT(res.end == STEPPROC_DONE && res.result == 0);
	CU_ASSERT_STRING_EQUAL(js_get_str(res.record, "word", ""), "hello");
	stepproc_result_release(&res);
	run(fn_big, NULL, 0, &res);
	CU_ASSERT(json_array_size(json_object_get(res.record, "list")) == 100000);
	stepproc_result_release(&res);
}

static void test_error(void)
{
	struct stepproc_result res;

	run(fn_error, NULL, 0, &res);
	CU_ASSERT(res.result == -ENOSPC && res.err.code == ENOSPC);
	CU_ASSERT(str_starts(res.err.text, "write data.0.0"));
	CU_ASSERT(json_is_true(json_object_get(res.record, "kept")));
	stepproc_result_release(&res);
}

static void test_crash_and_exit(void)
{
	struct stepproc_result res;

	run(fn_segv, NULL, 0, &res);
	CU_ASSERT(res.end == STEPPROC_CRASHED && res.result < 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(res.err.text, "SIGSEGV"));
	stepproc_result_release(&res);
	run(fn_exit, NULL, 0, &res);
	CU_ASSERT(res.end == STEPPROC_EXITED && res.result < 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(res.err.text, "exit(0)"));
	stepproc_result_release(&res);
}

static void test_timeout(void)
{
	struct stepproc_result res;
	pid_t *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	CU_ASSERT_FATAL(shared != MAP_FAILED);
	run(fn_hang, shared, 200 * NSEC_PER_MSEC, &res);
	CU_ASSERT(res.end == STEPPROC_TIMED_OUT && res.err.code == ETIMEDOUT);
	CU_ASSERT_PTR_NOT_NULL(strstr(res.err.text, "timeout of 0.2 s"));
	CU_ASSERT(*shared > 0);
	CU_ASSERT(kill(*shared, 0) < 0 && errno == ESRCH);
	stepproc_result_release(&res);
	munmap(shared, 4096);
}

void test_run_stepproc(void)
{
	CU_pSuite s = CU_add_suite("run/stepproc", NULL, NULL);

	CU_ADD_TEST(s, test_good);
	CU_ADD_TEST(s, test_error);
	CU_ADD_TEST(s, test_crash_and_exit);
	CU_ADD_TEST(s, test_timeout);
}
