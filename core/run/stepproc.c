/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Step processes: fork, watch, reap. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/run/signals.h"
#include "core/run/stepproc.h"
#include "core/util/clock.h"
#include "core/util/file.h"
#include "core/util/json.h"
#include "core/util/strbuf.h"
#include "core/util/xalloc.h"

enum { TICK_MS = 250 };
/* How long a step may take to end by itself after it was asked to. */
#define GRACE_NS (20 * NSEC_PER_SEC)

/* Coverage counts of a child that leaves by _exit would be lost. */
extern void __gcov_dump(void) __attribute__((weak));

struct watch {
	const struct stepproc *sp;
	pid_t pid;
	int pidfd;
	int pipe;
	struct strbuf out; /* what the child wrote back */
	uint64_t started_ns;
	uint64_t kill_at_ns; /* 0: not yet */
	enum stepproc_end killed_for;
	bool killed;
};

static _noreturn_ void child_main(const struct stepproc *sp, int out, pid_t parent)
{
	const struct rlimit no_core = { 0, 0 };
	json_t *doc = js_object(), *record = js_object();
	struct err e = { 0 };
	char *text;
	int r, null;

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	signals_child();
	setrlimit(RLIMIT_CORE, &no_core);
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
	}
	r = sp->fn(sp->arg, record, &e);
	js_set(doc, "result", json_integer(r));
	js_set(doc, "code", json_integer(e.code));
	js_set(doc, "text", js_str(e.text));
	js_set(doc, "record", record);
	text = js_dump(doc);
	r = file_write_all(out, text, strlen(text) + 1);
	json_decref(doc);
	free(text);
	if (__gcov_dump)
		__gcov_dump();
	_exit(r < 0 ? 1 : 0);
}

static int watch_start(struct watch *w)
{
	pid_t parent = getpid();
	int fds[2];

	if (pipe2(fds, O_CLOEXEC) < 0)
		return -errno;
	fflush(NULL);
	w->started_ns = clock_now_ns();
	w->pid = fork();
	if (w->pid < 0) {
		int r = -errno;

		close(fds[0]);
		close(fds[1]);
		return r;
	}
	if (w->pid == 0) {
		close(fds[0]);
		child_main(w->sp, fds[1], parent);
	}
	setpgid(w->pid, w->pid);
	close(fds[1]);
	fcntl(fds[0], F_SETFL, O_NONBLOCK);
	w->pipe = fds[0];
	w->pidfd = pidfd_open(w->pid, 0);
	return 0;
}

/* Reads what is there; false at the end of the pipe. */
static bool watch_drain(struct watch *w)
{
	char buf[65536];
	ssize_t n;

	while ((n = read(w->pipe, buf, sizeof(buf))) > 0)
		strbuf_add(&w->out, buf, (size_t)n);
	return n < 0 && (errno == EAGAIN || errno == EINTR);
}

static void watch_kill(struct watch *w, enum stepproc_end why)
{
	if (w->killed)
		return;
	w->killed = true;
	w->killed_for = why;
	kill(-w->pid, SIGKILL);
	kill(w->pid, SIGKILL);
}

static void watch_signals(struct watch *w)
{
	enum signals_wish wish;

	if (w->sp->signal_fd < 0)
		return;
	wish = signals_read(w->sp->signal_fd);
	if (wish == SIGNALS_NONE || !w->sp->stoppable)
		return;
	if (w->sp->live)
		live_set(w->sp->live->stop, 1);
	if (!w->kill_at_ns)
		w->kill_at_ns = clock_now_ns() + GRACE_NS;
	if (wish == SIGNALS_KILL)
		watch_kill(w, STEPPROC_INTERRUPTED);
}

static void watch_deadlines(struct watch *w)
{
	uint64_t now = clock_now_ns();

	if (w->sp->timeout_ns && now - w->started_ns >= w->sp->timeout_ns)
		watch_kill(w, STEPPROC_TIMED_OUT);
	if (w->kill_at_ns && now >= w->kill_at_ns)
		watch_kill(w, STEPPROC_INTERRUPTED);
	if (w->sp->tick)
		w->sp->tick(w->sp->tick_arg);
}

/* Until the child is a zombie; its process id stays ours until wait4. */
static void watch_until_end(struct watch *w)
{
	struct pollfd p[3] = {
		{ .fd = w->pidfd, .events = POLLIN },
		{ .fd = w->pipe, .events = POLLIN },
		{ .fd = w->sp->signal_fd, .events = POLLIN },
	};

	for (;;) {
		poll(p, 3, TICK_MS);
		if ((p[1].revents & (POLLIN | POLLHUP)) && !watch_drain(w))
			p[1].fd = -1;
		if (p[0].revents & POLLIN)
			break;
		watch_signals(w);
		watch_deadlines(w);
	}
	if (p[1].fd >= 0)
		watch_drain(w);
}

/* One round over the processes that have become ours; false when there are none. */
static bool sweep_children(void)
{
	char path[64], *text = NULL, *save = NULL;
	bool any = false;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
	if (file_read(path, 1 << 20, &text, NULL, NULL) < 0)
		return false;
	for (char *t = strtok_r(text, " \n", &save); t; t = strtok_r(NULL, " \n", &save)) {
		pid_t pid = (pid_t)strtol(t, NULL, 10);

		if (pid > 0 && kill(pid, SIGKILL) == 0 && waitpid(pid, NULL, 0) == pid)
			any = true;
	}
	free(text);
	return any;
}

/*
 * Processes that the child left behind: its group first, then whatever came to us because we are their
 * reaper (a plugin's command has a group of its own), then what those leave.
 */
static void watch_sweep(pid_t pgid)
{
	kill(-pgid, SIGKILL);
	while (sweep_children())
		;
}

static uint64_t timeval_ns(struct timeval t)
{
	return (uint64_t)t.tv_sec * NSEC_PER_SEC + (uint64_t)t.tv_usec * 1000;
}

/* Takes the child's own account if it is whole. */
static bool result_parse(struct stepproc_result *res, const struct strbuf *out)
{
	json_t *doc = out->len ? js_parse(out->buf, strlen(out->buf), "step", NULL) : NULL;
	json_t *record;
	int code;

	if (!doc)
		return false;
	res->result = (int)json_integer_value(json_object_get(doc, "result"));
	code = (int)json_integer_value(json_object_get(doc, "code"));
	if (res->result < 0)
		err_set(&res->err, code ? code : -res->result, "%s", js_get_str(doc, "text", ""));
	record = json_object_get(doc, "record");
	if (record) {
		json_decref(res->record);
		res->record = json_incref(record);
	}
	json_decref(doc);
	return true;
}

static void result_explain(struct stepproc_result *res, const struct watch *w, int status)
{
	if (w->killed && w->killed_for == STEPPROC_TIMED_OUT) {
		res->end = STEPPROC_TIMED_OUT;
		res->result = err_set(&res->err, ETIMEDOUT, "did not end within its timeout of %.4g s and was killed",
				      (double)w->sp->timeout_ns / (double)NSEC_PER_SEC);
	} else if (w->killed) {
		res->end = STEPPROC_INTERRUPTED;
		res->result = err_set(&res->err, EINTR, "did not end when it was asked to and was killed");
	} else if (WIFSIGNALED(status)) {
		res->end = STEPPROC_CRASHED;
		res->result = err_set(&res->err, EFAULT, "crashed: SIG%s (%s)", sigabbrev_np(WTERMSIG(status)),
				      sigdescr_np(WTERMSIG(status)));
	} else {
		res->end = STEPPROC_EXITED;
		res->result = err_set(&res->err, EPROTO, "called exit(%d), which plugins must not",
				      WEXITSTATUS(status));
	}
}

int stepproc_run(const struct stepproc *sp, struct stepproc_result *res)
{
	struct watch w = { .sp = sp, .pidfd = -1, .pipe = -1 };
	struct rusage ru = { 0 };
	int status = 0, r;

	*res = (struct stepproc_result){ .end = STEPPROC_DONE };
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	r = watch_start(&w);
	if (r < 0) {
		prctl(PR_SET_CHILD_SUBREAPER, 0);
		return r;
	}
	res->record = js_object();
	watch_until_end(&w);
	while (wait4(w.pid, &status, 0, &ru) < 0 && errno == EINTR)
		;
	res->elapsed_ns = clock_now_ns() - w.started_ns;
	res->user_ns = timeval_ns(ru.ru_utime);
	res->system_ns = timeval_ns(ru.ru_stime);
	watch_sweep(w.pid);
	prctl(PR_SET_CHILD_SUBREAPER, 0);
	if (w.killed || !WIFEXITED(status) || !result_parse(res, &w.out))
		result_explain(res, &w, status);
	close(w.pidfd);
	close(w.pipe);
	strbuf_free(&w.out);
	return 0;
}

void stepproc_result_release(struct stepproc_result *res)
{
	json_decref(res->record);
	res->record = NULL;
}
