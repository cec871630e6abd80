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
#include "core/run/stepproc_private.h"
#include "core/util/clock.h"
#include "core/util/json.h"
#include "core/util/xalloc.h"

enum { TICK_MS = 250 };
/* How long a step may take to end by itself after it was asked to. */
#define GRACE_NS (20 * NSEC_PER_SEC)

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
		stepproc_child(w->sp, fds[1], parent);
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

static uint64_t timeval_ns(struct timeval t)
{
	return (uint64_t)t.tv_sec * NSEC_PER_SEC + (uint64_t)t.tv_usec * 1000;
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
	if (w->killed || !WIFEXITED(status) || !stepproc_account(res, &w->out))
		result_explain(res, w, status);
	if (res->result == 0)
		sweep_keep(res->record);
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
	sweep_all();
	/* What a kept process leaves between two steps is to come to us as well. */
	prctl(PR_SET_CHILD_SUBREAPER, sweep_keeps());
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
