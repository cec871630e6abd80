/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Step processes: whatever the child does, the caller gets a reason and nothing is left running. */
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
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

/* ---- several at once ---- */

/* What children and parent share. */
struct meeting {
	struct live *live[3];
	struct live_gate *gate;
	uint64_t begun_ns[3]; /* when each passed the gate; 0: not */
};

struct visitor {
	struct meeting *m;
	size_t i;
};

static struct meeting *meeting_new(void)
{
	struct meeting *m = mmap(NULL, sizeof(*m), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	CU_ASSERT_FATAL(m != MAP_FAILED);
	m->gate = live_gate_new();
	CU_ASSERT_PTR_NOT_NULL_FATAL(m->gate);
	for (size_t i = 0; i < 3; i++) {
		m->live[i] = live_new(1);
		m->live[i]->gate = m->gate;
	}
	return m;
}

static void meeting_free(struct meeting *m)
{
	for (size_t i = 0; i < 3; i++)
		live_free(m->live[i], 1);
	live_gate_free(m->gate);
	munmap(m, sizeof(*m));
}

static int fn_pass(void *arg, json_t *record, struct err *e)
{
	const struct visitor *v = arg;

	(void)record;
	if (!live_gate_pass(v->m->live[v->i]))
		return err_set(e, ECANCELED, "called off");
	v->m->begun_ns[v->i] = clock_now_ns();
	return 0;
}

/* The first ends at once; the others when they are told. */
static int fn_until_stop(void *arg, json_t *record, struct err *e)
{
	const struct visitor *v = arg;
	int r = fn_pass(arg, record, e);

	if (r == 0 && v->i == 0)
		live_end(v->m->live[0]);
	while (r == 0 && v->i && !live_get(v->m->live[v->i]->stop))
		usleep(1000);
	return r;
}

/* Opens the gate when all have come or are over; stops all when one has ended. */
static void turn_meet(struct stepproc_group *g)
{
	struct meeting *m = g->arg;
	size_t there = 0;

	for (size_t i = 0; i < g->n; i++)
		there += g->res[i].over || live_get(m->live[i]->phase) >= LIVE_READY;
	if (there == g->n)
		live_gate_open(m->gate, true);
	for (size_t i = 0; i < g->n; i++) {
		for (size_t k = 0; live_get(m->live[i]->ended) && k < g->n; k++)
			stepproc_stop(g, k, LIVE_STOP_END);
	}
}

static void turn_call_off(struct stepproc_group *g)
{
	struct meeting *m = g->arg;

	for (size_t i = 0; i < g->n; i++) {
		if (g->res[i].over && g->res[i].result < 0 && g->res[i].result != -ECANCELED)
			live_gate_open(m->gate, false);
	}
}

static void run_group(struct meeting *m, int (*const fn[3])(void *, json_t *, struct err *),
		      void (*turn)(struct stepproc_group *), uint64_t timeout_ns, struct stepproc_result *res)
{
	struct visitor v[3] = { { m, 0 }, { m, 1 }, { m, 2 } };
	struct stepproc sp[3];
	struct stepproc_group g = { .v = sp, .n = 3, .res = res, .gate = m->gate, .turn = turn, .arg = m };

	for (size_t i = 0; i < 3; i++)
		sp[i] = (struct stepproc){ .fn = fn[i], .arg = &v[i], .live = m->live[i], .signal_fd = -1,
					   .timeout_ns = timeout_ns };
	CU_ASSERT_FATAL(stepproc_run_group(&g) == 0);
}

static void release_group(struct stepproc_result *res)
{
	for (size_t i = 0; i < 3; i++) {
		CU_ASSERT(res[i].over && res[i].record);
		stepproc_result_release(&res[i]);
	}
}

static void test_group(void)
{
	struct meeting *m = meeting_new();
	struct stepproc_result res[3];

	run_group(m, (int (*const[])(void *, json_t *, struct err *)){ fn_until_stop, fn_until_stop, fn_until_stop },
		  turn_meet, 0, res);
	for (size_t i = 0; i < 3; i++) {
		CU_ASSERT(res[i].end == STEPPROC_DONE && res[i].result == 0);
		/* Nobody before the common tick. */
		CU_ASSERT(m->begun_ns[i] >= m->gate->start_ns);
	}
	CU_ASSERT(live_get(m->live[2]->stop) == LIVE_STOP_END);
	release_group(res);
	meeting_free(m);
}

/* One that cannot come keeps nobody from beginning, where the group goes on without it. */
static void test_group_without_one(void)
{
	struct meeting *m = meeting_new();
	struct stepproc_result res[3];

	run_group(m, (int (*const[])(void *, json_t *, struct err *)){ fn_pass, fn_segv, fn_pass }, turn_meet, 0, res);
	CU_ASSERT(res[0].result == 0 && res[2].result == 0 && m->begun_ns[0] && m->begun_ns[2]);
	CU_ASSERT(res[1].end == STEPPROC_CRASHED && !m->begun_ns[1]);
	release_group(res);
	meeting_free(m);
}

static void test_group_called_off(void)
{
	struct meeting *m = meeting_new();
	struct stepproc_result res[3];

	run_group(m, (int (*const[])(void *, json_t *, struct err *)){ fn_pass, fn_error, fn_pass }, turn_call_off, 0,
		  res);
	CU_ASSERT(res[0].result == -ECANCELED && res[2].result == -ECANCELED);
	CU_ASSERT(res[1].result == -ENOSPC);
	CU_ASSERT(!m->begun_ns[0] && !m->begun_ns[2]);
	release_group(res);
	meeting_free(m);
}

static int fn_late(void *arg, json_t *record, struct err *e)
{
	sleep(60); /* it is ended long before */
	return fn_pass(arg, record, e);
}

/* Waiting for the others is not on the clock of who waits: the late one is out of time alone. */
static void test_group_timeout(void)
{
	struct meeting *m = meeting_new();
	struct stepproc_result res[3];

	run_group(m, (int (*const[])(void *, json_t *, struct err *)){ fn_pass, fn_late, fn_pass }, turn_meet,
		  2 * NSEC_PER_SEC, res);
	CU_ASSERT(res[0].result == 0 && res[2].result == 0);
	CU_ASSERT(res[1].end == STEPPROC_TIMED_OUT);
	release_group(res);
	meeting_free(m);
}

struct kept_pids {
	pid_t kept, between, in_its_session, left;
	atomic_bool may_end;
};

/* A process that waits for ever, as leader of a session or in its own group of that of its parent. */
static pid_t start_waiting(bool leads)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	if (leads)
		setsid();
	for (;;)
		pause();
}

/* Leaves three: one to be kept, one that is left alone in its session after the step, one that nobody asked for. */
static int fn_leaves(void *arg, json_t *record, struct err *e)
{
	struct kept_pids *p = arg;
	json_t *list = js_array();
	int ready[2];
	pid_t kept;
	char c;

	(void)e;
	if (pipe(ready) < 0)
		return -errno;
	p->left = start_waiting(true);
	kept = fork();
	if (kept == 0) {
		setsid();
		if (fork() == 0) { /* whose child outlives it, and becomes ours */
			p->between = getpid();
			p->in_its_session = start_waiting(false);
			if (write(ready[1], "x", 1) != 1)
				_exit(1);
			while (!p->may_end)
				usleep(1000);
			_exit(0);
		}
		for (;;)
			pause();
	}
	if (kept < 0 || read(ready[0], &c, 1) != 1)
		return -EIO;
	p->kept = kept;
	js_push(list, js_u64((uint64_t)kept));
	js_set(record, "kept", list);
	return 0;
}

/* Gone, or a zombie: who killed it need not be who waits for it. */
static bool is_gone(pid_t pid)
{
	char path[64], line[1024] = "";

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	return file_read_line(path, line, sizeof(line)) < 0 || strstr(line, ") Z ");
}

static void test_kept(void)
{
	struct kept_pids *p = mmap(NULL, sizeof(*p), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct stepproc_result res;
	char word[] = "x";

	CU_ASSERT_FATAL(p != MAP_FAILED);
	run(fn_leaves, p, 0, &res);
	CU_ASSERT(res.result == 0);
	stepproc_result_release(&res);
	CU_ASSERT(is_gone(p->left));
	CU_ASSERT(!is_gone(p->kept) && !is_gone(p->in_its_session));
	p->may_end = true;
	while (!is_gone(p->between))
		usleep(1000);
	/* Other steps leave them alone, too. */
	run(fn_good, word, 0, &res);
	stepproc_result_release(&res);
	CU_ASSERT(!is_gone(p->kept) && !is_gone(p->in_its_session));
	/* Once the leader has ended, the next sweep takes the rest. */
	CU_ASSERT_FATAL(p->kept > 1 && kill(p->kept, SIGKILL) == 0);
	while (!is_gone(p->kept))
		usleep(1000);
	run(fn_good, word, 0, &res);
	stepproc_result_release(&res);
	CU_ASSERT(kill(p->kept, 0) < 0 && errno == ESRCH);
	CU_ASSERT(is_gone(p->in_its_session));
	munmap(p, sizeof(*p));
}

void test_run_stepproc(void)
{
	CU_pSuite s = CU_add_suite("run/stepproc", NULL, NULL);

	CU_ADD_TEST(s, test_good);
	CU_ADD_TEST(s, test_error);
	CU_ADD_TEST(s, test_crash_and_exit);
	CU_ADD_TEST(s, test_timeout);
	CU_ADD_TEST(s, test_kept);
	CU_ADD_TEST(s, test_group);
	CU_ADD_TEST(s, test_group_without_one);
	CU_ADD_TEST(s, test_group_called_off);
	CU_ADD_TEST(s, test_group_timeout);
}
