/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of core/util/proc: programs that behave and those that do not. */
#include <CUnit/CUnit.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "core/util/clock.h"
#include "core/util/proc.h"
#include "core/util/str.h"
#include "core/util/xalloc.h"

/* Runs a shell text; the caller releases. */
static int run_shell(const char *text, uint64_t timeout_ns, struct proc_result *res)
{
	const char *const argv[] = { "sh", "-c", text, NULL };
	const struct proc_cmd cmd = { .argv = argv, .timeout_ns = timeout_ns };

	return proc_run(&cmd, res, NULL);
}

static void test_output(void)
{
	struct proc_result res;

	CU_ASSERT_EQUAL(run_shell("echo out; echo err >&2; exit 3", 0, &res), 0);
	CU_ASSERT_EQUAL(res.exit_status, 3);
	CU_ASSERT_EQUAL(res.signal, 0);
	CU_ASSERT_FALSE(res.timed_out);
	CU_ASSERT_TRUE(res.wall_ns > 0);
	CU_ASSERT_STRING_EQUAL(strbuf_str(&res.out), "out\n");
	CU_ASSERT_STRING_EQUAL(strbuf_str(&res.err), "err\n");
	proc_result_release(&res);
}

/* No shell in between: arguments arrive as they are. */
static void test_arguments(void)
{
	const char *const argv[] = { "printf", "%s|", "a b", "$HOME", "", "*", NULL };
	const struct proc_cmd cmd = { .argv = argv };
	struct proc_result res;

	CU_ASSERT_EQUAL(proc_run(&cmd, &res, NULL), 0);
	CU_ASSERT_STRING_EQUAL(strbuf_str(&res.out), "a b|$HOME||*|");
	proc_result_release(&res);
}

static void test_missing(void)
{
	static const struct {
		const char *program;
		int ret;
	} rows[] = {
		{ "no-such-program-here", -ENOENT },
		{ "/nonexistent/program", -ENOENT },
		{ "/etc/passwd", -EACCES },
		{ "/tmp", -EACCES },
		{ "", -EINVAL },
		{ NULL, -EINVAL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *const argv[] = { rows[i].program, NULL };
		const struct proc_cmd cmd = { .argv = argv };
		struct err e = { 0, "" };
		struct proc_result res;

		CU_ASSERT_EQUAL(proc_run(&cmd, &res, &e), rows[i].ret);
		CU_ASSERT_EQUAL(e.code, -rows[i].ret);
		if (rows[i].program)
			CU_ASSERT_PTR_NOT_NULL(strstr(e.text, rows[i].program));
		proc_result_release(&res);
	}
}

static void test_not_executable_format(void)
{
	char path[] = "/tmp/test-proc-XXXXXX";
	const char *const argv[] = { path, NULL };
	const struct proc_cmd cmd = { .argv = argv };
	struct proc_result res;
	int fd = mkstemp(path);

	CU_ASSERT_TRUE_FATAL(fd >= 0);
	CU_ASSERT_EQUAL(write(fd, "junk\n", 5), 5);
	fchmod(fd, 0755);
	close(fd);
	CU_ASSERT_EQUAL(proc_run(&cmd, &res, NULL), -ENOEXEC);
	proc_result_release(&res);
	unlink(path);
}

static void test_timeout(void)
{
	struct proc_result res;
	uint64_t start = clock_now_ns();

	/* The whole group dies, or the sleep would keep the pipe open. */
	CU_ASSERT_EQUAL(run_shell("echo started; sleep 30; echo no", 200 * NSEC_PER_MSEC, &res), 0);
	CU_ASSERT_TRUE(res.timed_out);
	CU_ASSERT_EQUAL(res.exit_status, -1);
	CU_ASSERT_EQUAL(res.signal, SIGKILL);
	CU_ASSERT_STRING_EQUAL(strbuf_str(&res.out), "started\n");
	CU_ASSERT_TRUE(res.wall_ns >= 200 * NSEC_PER_MSEC);
	CU_ASSERT_TRUE(clock_now_ns() - start < 5 * NSEC_PER_SEC);
	proc_result_release(&res);
	CU_ASSERT_EQUAL(run_shell("exit 0", UINT64_MAX, &res), 0);
	CU_ASSERT_FALSE(res.timed_out);
	CU_ASSERT_EQUAL(res.exit_status, 0);
	proc_result_release(&res);
}

static void test_killed(void)
{
	struct proc_result res;

	CU_ASSERT_EQUAL(run_shell("kill -TERM $$", 0, &res), 0);
	CU_ASSERT_EQUAL(res.exit_status, -1);
	CU_ASSERT_EQUAL(res.signal, SIGTERM);
	CU_ASSERT_FALSE(res.timed_out);
	proc_result_release(&res);
}

/* Both streams at once and more than a pipe and than is kept. */
static void test_much_output(void)
{
	static const char text[] = "head -c 2097152 /dev/zero | tr '\\0' e >&2 & "
				   "head -c 2097152 /dev/zero | tr '\\0' o; wait; exit 4";
	struct proc_result res;

	CU_ASSERT_EQUAL(run_shell(text, 60 * NSEC_PER_SEC, &res), 0);
	CU_ASSERT_EQUAL(res.exit_status, 4);
	CU_ASSERT_EQUAL(res.out.len, 1024 * 1024);
	CU_ASSERT_EQUAL(res.err.len, 1024 * 1024);
	CU_ASSERT_EQUAL(strspn(strbuf_str(&res.out), "o"), res.out.len);
	CU_ASSERT_EQUAL(strspn(strbuf_str(&res.err), "e"), res.err.len);
	CU_ASSERT_TRUE(res.cut);
	proc_result_release(&res);
}

/* A NUL hides nothing of what is behind it. */
static void test_nul(void)
{
	struct proc_result res;

	CU_ASSERT_EQUAL(run_shell("printf '\\0a\\0\\0b\\0'; printf 'c\\0d' >&2", 0, &res), 0);
	CU_ASSERT_STRING_EQUAL(strbuf_str(&res.out), " a  b ");
	CU_ASSERT_STRING_EQUAL(strbuf_str(&res.err), "c d");
	CU_ASSERT_FALSE(res.cut);
	proc_result_release(&res);
	CU_ASSERT_EQUAL(run_shell(":", 0, &res), 0);
	CU_ASSERT_STRING_EQUAL(strbuf_str(&res.out), "");
	proc_result_release(&res);
}

/* What a program leaves behind with its output open does not hold us. */
static void test_background(void)
{
	struct proc_result res;
	uint64_t start = clock_now_ns();

	CU_ASSERT_EQUAL(run_shell("sleep 8 & echo done", 0, &res), 0);
	CU_ASSERT_EQUAL(res.exit_status, 0);
	CU_ASSERT_STRING_EQUAL(strbuf_str(&res.out), "done\n");
	CU_ASSERT_TRUE(clock_now_ns() - start < 4 * NSEC_PER_SEC);
	proc_result_release(&res);
}

static void test_environment(void)
{
	const char *const argv[] = { "sh", "-c", "echo $LC_ALL,$FSTRIAL_A,$FSTRIAL_B,$FSTRIAL_C",
				     NULL };
	const char *const env[] = { "FSTRIAL_A=new", "FSTRIAL_C=1", "LC_ALL=de_DE", NULL };
	const struct proc_cmd cmd = { .argv = argv, .env = env };
	struct proc_result res;

	setenv("FSTRIAL_A", "old", 1);
	setenv("FSTRIAL_B", "kept", 1);
	CU_ASSERT_EQUAL(proc_run(&cmd, &res, NULL), 0);
	CU_ASSERT_STRING_EQUAL(strbuf_str(&res.out), "C,new,kept,1\n");
	CU_ASSERT_STRING_EQUAL(getenv("FSTRIAL_A"), "old");
	proc_result_release(&res);
	unsetenv("FSTRIAL_A");
	unsetenv("FSTRIAL_B");
}

static void test_directory(void)
{
	const char *const argv[] = { "pwd", NULL };
	struct proc_cmd cmd = { .argv = argv, .cwd = "/usr" };
	struct err e = { 0, "" };
	struct proc_result res;

	CU_ASSERT_EQUAL(proc_run(&cmd, &res, &e), 0);
	CU_ASSERT_STRING_EQUAL(strbuf_str(&res.out), "/usr\n");
	proc_result_release(&res);
	cmd.cwd = "/nonexistent";
	CU_ASSERT_EQUAL(proc_run(&cmd, &res, &e), -ENOENT);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "/nonexistent"));
	proc_result_release(&res);
}

/* stdin is empty, and nothing but 0 to 2 is inherited, however it was opened. */
static void test_descriptors(void)
{
	struct proc_result res;
	int fd = open("/dev/null", O_RDONLY);

	/* The fourth is the directory that ls reads. */
	CU_ASSERT_EQUAL(run_shell("cat; exec ls /proc/self/fd", 0, &res), 0);
	CU_ASSERT_STRING_EQUAL(strbuf_str(&res.out), "0\n1\n2\n3\n");
	proc_result_release(&res);
	close(fd);
}

/* Ignored and blocked signals are not handed on. */
static void test_signals(void)
{
	unsigned long long blocked = 1, ignored = 1;
	struct proc_result res;
	sigset_t set, old;

	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, &old);
	CU_ASSERT_EQUAL(run_shell("grep -E '^Sig(Blk|Ign)' /proc/self/status", 0, &res), 0);
	CU_ASSERT_EQUAL(sscanf(strbuf_str(&res.out), "SigBlk: %llx SigIgn: %llx", &blocked, &ignored), 2);
	CU_ASSERT_EQUAL(blocked, 0);
	/* 32 and 33 are the C library's own: no program can reset them, and make passes them on ignored. */
	CU_ASSERT_EQUAL(ignored & ~(3ULL << 31), 0);
	proc_result_release(&res);
	sigprocmask(SIG_SETMASK, &old, NULL);
	signal(SIGPIPE, SIG_DFL);
}

static void test_own_group(void)
{
	struct proc_result res;
	char *end;
	long pid;

	CU_ASSERT_EQUAL(run_shell("echo $$; ps -o pgid= -p $$ 2>/dev/null || echo $$", 0, &res), 0);
	pid = strtol(strbuf_str(&res.out), &end, 10);
	CU_ASSERT_EQUAL(strtol(end, NULL, 10), pid);
	CU_ASSERT_NOT_EQUAL(pid, getpgrp());
	proc_result_release(&res);
}

/* Reads a pid from the pipe and says whether that process is gone within five seconds. */
static bool gone_soon(int fd)
{
	char text[32] = "";
	pid_t pid;

	if (read(fd, text, sizeof(text) - 1) <= 0)
		return false;
	pid = (pid_t)atol(text);
	for (int i = 0; i < 500 && pid > 0; i++) {
		char state[64] = "", path[64];
		FILE *f;

		snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
		f = fopen(path, "r");
		if (!f)
			return true;
		if (!fgets(state, sizeof(state), f))
			state[0] = '\0';
		fclose(f);
		if (strstr(state, ") Z"))
			return true;
		usleep(10000);
	}
	return false;
}

static int children_of(pid_t pid)
{
	char path[64], text[256] = "";
	int n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid, (int)pid);
	f = fopen(path, "r");
	if (!f)
		return 0;
	if (fgets(text, sizeof(text), f))
		for (const char *p = text; *p; p++)
			n += *p == ' ';
	fclose(f);
	return n;
}

/* Kills pid once a program of its wrote a process number into the pipe; is that one gone soon, too? */
static bool kill_and_gone(pid_t pid, int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	if (poll(&p, 1, 10000) != 1)
		return false;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return gone_soon(fd);
}

/* When we are killed, the program dies too. */
static void test_dies_with_parent(void)
{
	int fds[2];
	pid_t pid;

	CU_ASSERT_EQUAL_FATAL(pipe(fds), 0);
	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		char text[128];
		struct proc_result res;

		snprintf(text, sizeof(text), "echo $$ >/proc/%d/fd/%d; exec sleep 20", getpid(),
			 fds[1]);
		_exit(run_shell(text, 0, &res) != 0);
	}
	close(fds[1]);
	usleep(300000);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	CU_ASSERT_TRUE(gone_soon(fds[0]));
	close(fds[0]);
}

/* And so does what it has started. */
static void test_group_dies_with_parent(void)
{
	int fds[2];
	pid_t pid;

	CU_ASSERT_EQUAL_FATAL(pipe(fds), 0);
	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		char text[128];
		struct proc_result res;

		snprintf(text, sizeof(text), "sleep 20 & echo $! >/proc/%d/fd/%d; wait", getpid(), fds[1]);
		_exit(run_shell(text, 0, &res) != 0);
	}
	close(fds[1]);
	/* The program, and who watches over it. */
	for (int i = 0; i < 10000 && children_of(pid) < 2; i++)
		usleep(1000);
	CU_ASSERT_EQUAL(children_of(pid), 2);
	CU_ASSERT_TRUE(kill_and_gone(pid, fds[0]));
	close(fds[0]);
}

/* stdin to stderr closed in this process: our pipes must not land there. */
static void test_closed_standard_streams(void)
{
	int status = -1;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		struct proc_result res;
		int bad;

		close(0);
		close(1);
		close(2);
		bad = run_shell("echo out; echo err >&2; exit 5", 0, &res) ||
		      res.exit_status != 5 ||
		      !str_eq(strbuf_str(&res.out), "out\n") ||
		      !str_eq(strbuf_str(&res.err), "err\n");
		proc_result_release(&res);
		_exit(bad);
	}
	CU_ASSERT_EQUAL(waitpid(pid, &status, 0), pid);
	CU_ASSERT_EQUAL(status, 0);
}

static int count_fds(void)
{
	int n = 0;

	for (int fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

static void test_no_leaks(void)
{
	const char *const missing[] = { "/nonexistent/x", NULL };
	const struct proc_cmd cmd = { .argv = missing };
	int before = count_fds();

	for (int i = 0; i < 5; i++) {
		struct proc_result res;

		CU_ASSERT_EQUAL(run_shell("exit 0", 0, &res), 0);
		proc_result_release(&res);
		CU_ASSERT_EQUAL(proc_run(&cmd, &res, NULL), -ENOENT);
		proc_result_release(&res);
	}
	CU_ASSERT_EQUAL(count_fds(), before);
	CU_ASSERT_TRUE(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD);
}

static const int stop_at_once = 1;

/* Asked to end, it may still say something; who does not listen is killed, and neither is out of time. */
static void test_stop(void)
{
	const char *const polite[] = { "sh", "-c", "trap 'echo ended; exit 3' TERM; echo up; while :; do sleep 0.02; done",
				       NULL };
	const struct proc_cmd cmd = { .argv = polite, .stop = &stop_at_once };
	const char *const plain[] = { "sleep", "1000", NULL };
	const struct proc_cmd other = { .argv = plain, .stop = &stop_at_once, .timeout_ns = 3600 * NSEC_PER_SEC };
	static const int never = 0;
	const char *const quick[] = { "true", NULL };
	const struct proc_cmd third = { .argv = quick, .stop = &never };
	struct proc_result res;

	CU_ASSERT_EQUAL(proc_run(&cmd, &res, NULL), 0);
	CU_ASSERT_TRUE(res.stopped && !res.timed_out);
	/* The signal may have been there before the trap. */
	CU_ASSERT_TRUE(res.exit_status == 3 ? str_ends(strbuf_str(&res.out), "ended\n") : res.signal == SIGTERM);
	proc_result_release(&res);
	CU_ASSERT_EQUAL(proc_run(&other, &res, NULL), 0);
	CU_ASSERT_TRUE(res.stopped && !res.timed_out && res.signal == SIGTERM);
	proc_result_release(&res);
	CU_ASSERT_EQUAL(proc_run(&third, &res, NULL), 0);
	CU_ASSERT_TRUE(!res.stopped && res.exit_status == 0);
	proc_result_release(&res);
}

static void test_find(void)
{
	_cleanup_free_ char *path = xstrdup(getenv("PATH") ? getenv("PATH") : "/bin");
	char *found = proc_find("sh");

	CU_ASSERT_TRUE(found && found[0] == '/' && str_ends(found, "/sh"));
	free(found);
	CU_ASSERT_PTR_NULL(proc_find("no-such-program-here"));
	CU_ASSERT_PTR_NULL(proc_find(""));
	CU_ASSERT_PTR_NULL(proc_find("/etc"));
	found = proc_find("/bin/sh");
	CU_ASSERT_STRING_EQUAL(found, "/bin/sh");
	free(found);
	/* A plain user's PATH has no sbin; relative folders do not count. */
	setenv("PATH", ".:sbin", 1);
	found = proc_find("ldconfig");
	CU_ASSERT_TRUE(found && strstr(found, "/sbin/ldconfig"));
	free(found);
	CU_ASSERT_PTR_NULL(proc_find("sh"));
	setenv("PATH", path, 1);
}

void test_util_proc(void);

void test_util_proc(void)
{
	static const struct {
		const char *name;
		CU_TestFunc fn;
	} tests[] = {
		{ "output", test_output },
		{ "arguments", test_arguments },
		{ "missing program", test_missing },
		{ "bad format", test_not_executable_format },
		{ "timeout", test_timeout },
		{ "killed by signal", test_killed },
		{ "much output", test_much_output },
		{ "NUL in the output", test_nul },
		{ "background", test_background },
		{ "stop", test_stop },
		{ "environment", test_environment },
		{ "directory", test_directory },
		{ "descriptors", test_descriptors },
		{ "signals", test_signals },
		{ "own group", test_own_group },
		{ "dies with its parent", test_dies_with_parent },
		{ "its group dies with its parent", test_group_dies_with_parent },
		{ "closed standard streams", test_closed_standard_streams },
		{ "no leaks", test_no_leaks },
		{ "find", test_find },
	};
	CU_pSuite suite = CU_add_suite("util proc", NULL, NULL);

	for (size_t i = 0; i < ARRAY_SIZE(tests); i++) {
		if (!suite || !CU_add_test(suite, tests[i].name, tests[i].fn)) {
			fprintf(stderr, "%s: %s\n", tests[i].name, CU_get_error_msg());
			abort();
		}
	}
}
