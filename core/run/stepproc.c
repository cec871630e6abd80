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
#include "core/util/vec.h"
#include "core/util/xalloc.h"

enum { TICK_MS = 250 };
/* How long a step may take to end by itself after it was asked to. */
#define GRACE_NS (20 * NSEC_PER_SEC)

/* What is done at exit is not done by a child that leaves by _exit: coverage counts, the search for leaks. */
extern void __gcov_dump(void) __attribute__((weak));
extern int __lsan_do_recoverable_leak_check(void) __attribute__((weak));

/* One child. */
struct watch {
	const struct stepproc *sp;
	struct stepproc_result *res;
	pid_t pid;
	int pidfd;
	int pipe;
	struct strbuf out; /* what the child wrote back */
	uint64_t started_ns;
	uint64_t clock_ns;	 /* where its timeout counts from */
	uint64_t waited_from_ns; /* 0: it does not wait for others */
	enum stepproc_end killed_for;
	bool killed;
};

/* All of them. */
struct watches {
	struct stepproc_group *g;
	struct watch *v;
	struct pollfd *p; /* two for each child, then signals and gate */
	size_t left;
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
	if (__lsan_do_recoverable_leak_check)
		__lsan_do_recoverable_leak_check();
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
	w->started_ns = w->clock_ns = clock_now_ns();
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

/* Where there are no pidfds, as under valgrind, each tick asks. */
static bool watch_is_zombie(const struct watch *w)
{
	siginfo_t info = { .si_pid = 0 };

	return waitid(P_PID, (id_t)w->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == w->pid;
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

void stepproc_stop(struct stepproc_group *g, size_t i, enum live_stop how)
{
	struct live *live = g->v[i].live;

	if (live && live_get(live->stop) != LIVE_STOP_GIVE_UP)
		live_set(live->stop, how);
	if (how == LIVE_STOP_GIVE_UP && !g->kill_at_ns[i])
		g->kill_at_ns[i] = clock_now_ns() + GRACE_NS;
}

static void watches_signals(struct watches *ws)
{
	const struct stepproc *sp = &ws->g->v[0];
	enum signals_wish wish;

	if (sp->signal_fd < 0)
		return;
	wish = signals_read(sp->signal_fd);
	if (wish == SIGNALS_NONE || !sp->stoppable)
		return;
	for (size_t i = 0; i < ws->g->n; i++) {
		stepproc_stop(ws->g, i, LIVE_STOP_GIVE_UP);
		if (wish == SIGNALS_KILL && !ws->g->res[i].over)
			watch_kill(&ws->v[i], STEPPROC_INTERRUPTED);
	}
	if (ws->g->gate)
		live_gate_open(ws->g->gate, false);
}

/* Who waits for others is not late. */
static bool watch_waits(const struct watch *w, const struct live_gate *gate)
{
	return gate && live_get(w->sp->live->phase) == LIVE_READY && live_get(gate->state) == LIVE_GATE_CLOSED;
}

static void watch_deadline(struct watch *w, const struct live_gate *gate, uint64_t kill_at_ns)
{
	uint64_t now = clock_now_ns();

	if (watch_waits(w, gate)) {
		w->waited_from_ns = w->waited_from_ns ? w->waited_from_ns : now;
	} else if (w->waited_from_ns) {
		w->clock_ns += now - w->waited_from_ns;
		w->waited_from_ns = 0;
	}
	if (w->sp->timeout_ns && !w->waited_from_ns && now - w->clock_ns >= w->sp->timeout_ns)
		watch_kill(w, STEPPROC_TIMED_OUT);
	if (kill_at_ns && now >= kill_at_ns)
		watch_kill(w, STEPPROC_INTERRUPTED);
}

/*
 * Leaders of sessions that go on after their step, as a step's record asked for. Their numbers stay theirs while
 * they are our children, so none is taken for another.
 */
static VEC(pid_t) kept;

static bool kept_has(pid_t leader)
{
	for (size_t i = 0; i < kept.n; i++)
		if (kept.v[i] == leader)
			return true;
	return false;
}

static void kept_add(const json_t *record)
{
	json_t *pid;
	size_t i;

	json_array_foreach(json_object_get(record, "kept"), i, pid)
		if (!kept_has((pid_t)json_integer_value(pid)))
			vec_push(&kept, (pid_t)json_integer_value(pid));
}

/* Those that have ended are nobody's any more. */
static void kept_reap(void)
{
	for (size_t i = kept.n; i-- > 0;)
		if (waitpid(kept.v[i], NULL, WNOHANG) != 0)
			kept.v[i] = kept.v[--kept.n];
}

/* One round over the processes that have become ours; false when there are none but those to be kept. */
static bool sweep_children(void)
{
	char path[64], *text = NULL, *save = NULL;
	bool any = false;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
	if (file_read(path, 1 << 20, &text, NULL, NULL) < 0)
		return false;
	for (char *t = strtok_r(text, " \n", &save); t; t = strtok_r(NULL, " \n", &save)) {
		pid_t pid = (pid_t)strtol(t, NULL, 10);

		if (pid > 0 && kept_has(getsid(pid)))
			continue;
		if (pid > 0 && kill(pid, SIGKILL) == 0 && waitpid(pid, NULL, 0) == pid)
			any = true;
	}
	free(text);
	return any;
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

/* The child is a zombie, or is going to be one at once. */
static void watch_finish(struct watch *w)
{
	struct stepproc_result *res = w->res;
	struct rusage ru = { 0 };
	int status = 0;

	/* What it left behind in its group; the rest is swept when all are over. */
	kill(-w->pid, SIGKILL);
	while (wait4(w->pid, &status, 0, &ru) < 0 && errno == EINTR)
		;
	res->elapsed_ns = clock_now_ns() - w->started_ns;
	res->user_ns = timeval_ns(ru.ru_utime);
	res->system_ns = timeval_ns(ru.ru_stime);
	if (w->killed || !WIFEXITED(status) || !result_parse(res, &w->out))
		result_explain(res, w, status);
	if (res->result == 0)
		kept_add(res->record);
	res->over = true;
	close(w->pidfd);
	close(w->pipe);
	strbuf_free(&w->out);
	w->pidfd = w->pipe = -1;
}

/* ---- all of them ------------------------------------------------------------------------------ */

/* Until its child is a zombie, whose process id stays ours until wait4, a watch has two places in p. */
static void watches_child(struct watches *ws, size_t i)
{
	struct watch *w = &ws->v[i];
	struct pollfd *p = &ws->p[2 * i];

	if (w->res->over)
		return;
	if ((p[1].revents & (POLLIN | POLLHUP)) && !watch_drain(w))
		p[1].fd = -1;
	if (!(p[0].revents & POLLIN) && !(w->pidfd < 0 && watch_is_zombie(w)))
		return;
	if (p[1].fd >= 0)
		watch_drain(w);
	watch_finish(w);
	p[0].fd = p[1].fd = -1;
	p[0].revents = p[1].revents = 0;
	ws->left--;
}

static void watches_until_end(struct watches *ws)
{
	struct stepproc_group *g = ws->g;
	uint64_t word;

	while (ws->left) {
		poll(ws->p, 2 * g->n + 2, TICK_MS);
		/* What it wakes for is looked at below. */
		if (g->gate && read(g->gate->wake_fd, &word, sizeof(word)) < 0)
			word = 0;
		for (size_t i = 0; i < g->n; i++)
			watches_child(ws, i);
		if (!ws->left)
			break;
		watches_signals(ws);
		if (g->turn)
			g->turn(g);
		for (size_t i = 0; i < g->n; i++)
			if (!g->res[i].over)
				watch_deadline(&ws->v[i], g->gate, g->kill_at_ns[i]);
		if (g->v[0].tick)
			g->v[0].tick(g->v[0].tick_arg);
	}
}

static void watches_set_poll(struct watches *ws)
{
	struct stepproc_group *g = ws->g;

	for (size_t i = 0; i < g->n; i++) {
		ws->p[2 * i] = (struct pollfd){ .fd = ws->v[i].pidfd, .events = POLLIN };
		ws->p[2 * i + 1] = (struct pollfd){ .fd = ws->v[i].pipe, .events = POLLIN };
	}
	ws->p[2 * g->n] = (struct pollfd){ .fd = g->v[0].signal_fd, .events = POLLIN };
	ws->p[2 * g->n + 1] = (struct pollfd){ .fd = g->gate ? g->gate->wake_fd : -1, .events = POLLIN };
}

/* All, or none. */
static int watches_start(struct watches *ws)
{
	struct stepproc_group *g = ws->g;
	int r = 0;

	for (size_t i = 0; i < g->n; i++) {
		ws->v[i] = (struct watch){ .sp = &g->v[i], .res = &g->res[i], .pidfd = -1, .pipe = -1 };
		g->res[i] = (struct stepproc_result){ .end = STEPPROC_DONE };
	}
	for (; ws->left < g->n && r == 0; ws->left += r == 0) {
		r = watch_start(&ws->v[ws->left]);
		if (r == 0)
			g->res[ws->left].record = js_object();
	}
	for (size_t i = 0; r < 0 && i < ws->left; i++) {
		watch_kill(&ws->v[i], STEPPROC_INTERRUPTED);
		watch_finish(&ws->v[i]);
		stepproc_result_release(&g->res[i]);
	}
	return r;
}

int stepproc_run_group(struct stepproc_group *g)
{
	struct watches ws = { .g = g };
	int r;

	ws.v = xcalloc(g->n, sizeof(*ws.v));
	ws.p = xcalloc(2 * g->n + 2, sizeof(*ws.p));
	g->kill_at_ns = xcalloc(g->n, sizeof(*g->kill_at_ns));
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	r = watches_start(&ws);
	if (r == 0) {
		watches_set_poll(&ws);
		watches_until_end(&ws);
	}
	/*
	 * Whatever came to us because we are its reaper (a plugin's command has a process group of its own),
	 * then what that leaves.
	 */
	kept_reap();
	while (sweep_children())
		;
	prctl(PR_SET_CHILD_SUBREAPER, 0);
	free(g->kill_at_ns);
	g->kill_at_ns = NULL;
	free(ws.p);
	free(ws.v);
	return r;
}

int stepproc_run(const struct stepproc *sp, struct stepproc_result *res)
{
	struct stepproc_group g = { .v = sp, .n = 1, .res = res };

	return stepproc_run_group(&g);
}

void stepproc_result_release(struct stepproc_result *res)
{
	json_decref(res->record);
	res->record = NULL;
}
