/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Running a program: no shell, output captured, a bound on its time. */
#include "core/util/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "core/util/clock.h"
#include "core/util/proc_guard.h"
#include "core/util/proc_private.h"
#include "core/util/xalloc.h"

#define PROC_KEEP (1024 * 1024)		   /* bytes kept of each stream */
#define PROC_DRAIN_NS (200 * NSEC_PER_MSEC) /* for output after the program's end */
#define PROC_KILL_NS (10 * NSEC_PER_SEC)   /* for a killed program to go away */
#define PROC_TICK_MS 20			   /* poll interval where there is no pidfd, or a stop to look at */
#define PROC_STOP_NS (5 * NSEC_PER_SEC)	   /* between SIGTERM and SIGKILL */

enum { PROC_OUT, PROC_ERR, PROC_FAIL, PROC_STREAMS };

enum proc_stage { PROC_STAGE_SETUP = 1, PROC_STAGE_CWD, PROC_STAGE_EXEC };

/* What the child reports when there will be no program. */
struct proc_failure {
	int stage;
	int code;
};

struct proc_child {
	pid_t pid;
	int pidfd;
	int fd[PROC_STREAMS]; /* read ends; -1 once at their end */
	struct strbuf fail;
	bool ended;
	bool killed;
	const int *stop; /* or NULL; NULL too once it was seen */
	uint64_t deadline; /* for what comes next: timeout, end of kill, end of drain; 0 none */
};

/* ---- the child, between fork and exec: async-signal-safe calls only ---- */

static _noreturn_ void proc_child_fail(int fd, enum proc_stage stage)
{
	struct proc_failure f = { .stage = stage, .code = errno };

	if (write(fd, &f, sizeof(f)) != sizeof(f))
		_exit(126);
	_exit(127);
}

static void proc_child_signals(void)
{
	struct sigaction dfl = { .sa_handler = SIG_DFL };
	sigset_t none;

	for (int sig = 1; sig < NSIG; sig++)
		sigaction(sig, &dfl, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

struct proc_exec {
	const char *path;
	const char *cwd;
	char *const *argv;
	char *const *env;
	pid_t parent;
	int fd[PROC_STREAMS]; /* write ends, all above 2 */
};

static _noreturn_ void proc_child(const struct proc_exec *x)
{
	int null;

	setpgid(0, 0);
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != x->parent)
		_exit(127); /* nobody is left who would ask why */
	proc_child_signals();
	null = open("/dev/null", O_RDONLY);
	if (null < 0 || (null != STDIN_FILENO && dup2(null, STDIN_FILENO) < 0) ||
	    dup2(x->fd[PROC_OUT], STDOUT_FILENO) < 0 || dup2(x->fd[PROC_ERR], STDERR_FILENO) < 0)
		proc_child_fail(x->fd[PROC_FAIL], PROC_STAGE_SETUP);
#ifdef SYS_close_range
	/* For descriptors that somebody opened without O_CLOEXEC; old kernels: too bad. */
	syscall(SYS_close_range, 3U, ~0U, 4U /* CLOSE_RANGE_CLOEXEC */);
#endif
	if (x->cwd && chdir(x->cwd))
		proc_child_fail(x->fd[PROC_FAIL], PROC_STAGE_CWD);
	execve(x->path, x->argv, x->env);
	proc_child_fail(x->fd[PROC_FAIL], PROC_STAGE_EXEC);
}

/* ---- the parent ---- */

/* A pipe whose ends do not collide with 0 to 2, should those be closed in this process. */
static int proc_pipe(int *rd, int *wr)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	for (int i = 0; i < 2; i++) {
		int low = fds[i];

		if (low > STDERR_FILENO)
			continue;
		fds[i] = fcntl(low, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
		close(low);
	}
	*rd = fds[0];
	*wr = fds[1];
	if (*rd < 0 || *wr < 0)
		return -EMFILE;
	return fcntl(*rd, F_SETFL, O_NONBLOCK) ? -errno : 0;
}

/* All signals are blocked around the fork: no handler of ours may run in the child. */
static int proc_fork(struct proc_child *c, struct proc_exec *x)
{
	sigset_t all, old;
	int ret = 0;

	x->parent = getpid();
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	c->pid = fork();
	if (c->pid == 0)
		proc_child(x);
	if (c->pid < 0)
		ret = -errno;
	else
		setpgid(c->pid, c->pid); /* here too: a kill may come before the child runs */
	pthread_sigmask(SIG_SETMASK, &old, NULL);
#ifdef SYS_pidfd_open
	if (!ret)
		c->pidfd = (int)syscall(SYS_pidfd_open, c->pid, 0U);
#endif
	return ret;
}

static int proc_start(struct proc_child *c, struct proc_exec *x)
{
	int ret = 0;

	for (int i = 0; i < PROC_STREAMS && !ret; i++)
		ret = proc_pipe(&c->fd[i], &x->fd[i]);
	if (!ret)
		ret = proc_fork(c, x);
	for (int i = 0; i < PROC_STREAMS; i++)
		cleanup_closep(&x->fd[i]);
	return ret;
}

/* Takes what is there; beyond PROC_KEEP it is read all the same, so that the program goes on. */
static void proc_drain(int *fd, struct strbuf *to, bool *cut)
{
	char buf[16 * 1024];
	ssize_t n;

	if (*fd < 0)
		return;
	n = read(*fd, buf, sizeof(buf));
	if (n > 0) {
		*cut |= (size_t)n > PROC_KEEP - to->len;
		strbuf_add(to, buf, MIN((size_t)n, PROC_KEEP - to->len));
		return;
	}
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	close(*fd);
	*fd = -1;
}

static void proc_reap(struct proc_child *c, struct proc_result *res, uint64_t started)
{
	pid_t pid;
	int status;

	do {
		pid = waitpid(c->pid, &status, WNOHANG);
	} while (pid < 0 && errno == EINTR);
	if (pid == 0)
		return;
	c->ended = true;
	res->wall_ns = clock_now_ns() - started;
	c->deadline = clock_now_ns() + PROC_DRAIN_NS;
	if (pid < 0) /* somebody else reaped it: its status is lost */
		return;
	if (WIFEXITED(status))
		res->exit_status = WEXITSTATUS(status);
	else if (WIFSIGNALED(status))
		res->signal = WTERMSIG(status);
}

/* The deadline has passed. False when there is nothing left to wait for. */
static bool proc_expire(struct proc_child *c, struct proc_result *res)
{
	if (c->ended || c->killed)
		return false;
	c->killed = true;
	res->timed_out = !res->stopped;
	kill(-c->pid, SIGKILL);
	kill(c->pid, SIGKILL);
	c->deadline = clock_now_ns() + PROC_KILL_NS;
	return true;
}

/* Somebody wants it to end: it is asked to, and has its time for that. */
static void proc_look_at_stop(struct proc_child *c, struct proc_result *res)
{
	uint64_t end = clock_now_ns() + PROC_STOP_NS;

	if (c->ended || c->killed || !c->stop || !__atomic_load_n(c->stop, __ATOMIC_RELAXED))
		return;
	c->stop = NULL;
	res->stopped = true;
	kill(-c->pid, SIGTERM);
	if (!c->deadline || c->deadline > end)
		c->deadline = end;
}

static int proc_poll_ms(const struct proc_child *c)
{
	const bool look = !c->ended && (c->pidfd < 0 || c->stop);
	uint64_t now = clock_now_ns(), ms;

	if (!c->deadline)
		return look ? PROC_TICK_MS : -1;
	if (now >= c->deadline)
		return 0;
	ms = (c->deadline - now) / NSEC_PER_MSEC + 1;
	if (look)
		ms = MIN(ms, (uint64_t)PROC_TICK_MS);
	return (int)MIN(ms, (uint64_t)60000);
}

/* Until the program has ended and its output too, or the output has had its time. */
static void proc_loop(struct proc_child *c, struct proc_result *res, uint64_t started)
{
	struct strbuf *to[PROC_STREAMS] = { &res->out, &res->err, &c->fail };

	while (!c->ended || c->fd[PROC_OUT] >= 0 || c->fd[PROC_ERR] >= 0 || c->fd[PROC_FAIL] >= 0) {
		struct pollfd p[PROC_STREAMS + 1];

		for (int i = 0; i < PROC_STREAMS; i++)
			p[i] = (struct pollfd){ .fd = c->fd[i], .events = POLLIN };
		p[PROC_STREAMS] = (struct pollfd){ .fd = c->ended ? -1 : c->pidfd,
						   .events = POLLIN };
		poll(p, PROC_STREAMS + 1, proc_poll_ms(c));
		for (int i = 0; i < PROC_STREAMS; i++)
			proc_drain(&c->fd[i], to[i], &res->cut);
		if (!c->ended)
			proc_reap(c, res, started);
		proc_look_at_stop(c, res);
		if (c->deadline && clock_now_ns() >= c->deadline && !proc_expire(c, res))
			break;
	}
	if (!c->ended)
		res->wall_ns = clock_now_ns() - started;
}

/* A NUL would hide all that was printed behind it. */
static void proc_make_text(struct strbuf *sb)
{
	char *p = sb->buf;

	while (sb->len && (p = memchr(p, '\0', (size_t)(sb->buf + sb->len - p))) != NULL)
		*p = ' ';
}

static int proc_failure_report(const struct proc_child *c, const struct proc_cmd *cmd,
			       struct err *e)
{
	struct proc_failure f;

	if (c->fail.len < sizeof(f))
		return 0;
	memcpy(&f, c->fail.buf, sizeof(f));
	if (f.stage == PROC_STAGE_CWD)
		return err_set(e, f.code, "%s: cannot start in %s: %s", cmd->argv[0], cmd->cwd,
			       strerror(f.code));
	return err_set(e, f.code, "%s: cannot run: %s", cmd->argv[0], strerror(f.code));
}

static int proc_run_path(const struct proc_cmd *cmd, const char *path, struct proc_result *res,
			 struct err *e)
{
	_cleanup_free_ const char **env = proc_environ(cmd->env);
	struct proc_exec x = { .path = path, .cwd = cmd->cwd, .fd = { -1, -1, -1 } };
	struct proc_child c = { .pid = -1, .pidfd = -1, .fd = { -1, -1, -1 }, .stop = cmd->stop };
	uint64_t started = clock_now_ns();
	struct proc_guard guard;
	int ret;

	/* execve(2) takes pointers to char * for reasons of history and changes nothing. */
	memcpy(&x.argv, &cmd->argv, sizeof(x.argv));
	memcpy(&x.env, &env, sizeof(x.env));
	ret = proc_start(&c, &x);
	if (ret) {
		err_set(e, -ret, "%s: cannot start: %s", cmd->argv[0], strerror(-ret));
	} else {
		if (!cmd->timeout_ns ||
		    __builtin_add_overflow(started, cmd->timeout_ns, &c.deadline))
			c.deadline = 0;
		proc_guard_begin(&guard, c.pid);
		proc_loop(&c, res, started);
		proc_guard_end(&guard);
		proc_make_text(&res->out);
		proc_make_text(&res->err);
		ret = proc_failure_report(&c, cmd, e);
	}
	for (int i = 0; i < PROC_STREAMS; i++)
		cleanup_closep(&c.fd[i]);
	cleanup_closep(&c.pidfd);
	strbuf_free(&c.fail);
	return ret;
}

int proc_run(const struct proc_cmd *cmd, struct proc_result *res, struct err *e)
{
	_cleanup_free_ char *path = NULL;

	memset(res, 0, sizeof(*res));
	res->exit_status = -1;
	if (!cmd->argv || !cmd->argv[0] || !*cmd->argv[0])
		return err_set(e, EINVAL, "no program to run");
	/* A name with a slash is taken as it is, seen from cmd->cwd. */
	path = strchr(cmd->argv[0], '/') ? xstrdup(cmd->argv[0]) : proc_find(cmd->argv[0]);
	if (!path)
		return err_set(e, ENOENT, "%s: program not found", cmd->argv[0]);
	return proc_run_path(cmd, path, res, e);
}

void proc_result_release(struct proc_result *res)
{
	strbuf_free(&res->out);
	strbuf_free(&res->err);
}
