/* SPDX-License-Identifier: GPL-3.0-or-later */
/* exec: a program that goes on in the background until revert, and the facts that it is ended by. */
#pragma once

#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <time.h>

#include "exec_call.h"

#define EXEC_FACT_SERVER "server" /* "PID START-TIME BOOT-ID" */
#define EXEC_FACT_STOP "server.stop" /* "SIGNAL TIMEOUT-NS" */
#define EXEC_LOG_MAX (256 * 1024) /* bytes looked at for a reason */
#define EXEC_LOG_NAME "fstrial-exec" /* of the memory that the output is kept in without a file */

struct exec_server {
	pid_t pid;
	int log; /* descriptor of what it prints */
	int go, said; /* pipes: to let it begin, what becomes of that */
};

struct exec_process {
	long pid;
	unsigned long long start; /* clock ticks since boot */
	char boot[64];
};

static inline void exec_boot_id(char boot[64])
{
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, boot, 63);

	boot[n > 0 ? n : 0] = '\0';
	boot[strcspn(boot, "\n")] = '\0';
	if (fd >= 0)
		close(fd);
}

/* When a process began; 0: there is none, or it has ended and only waits for its parent. */
static inline unsigned long long exec_start_time(long pid)
{
	char path[64], text[2048], *p;
	unsigned long long start = 0;
	ssize_t n;
	int fd, field;

	snprintf(path, sizeof(path), "/proc/%ld/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	p = strrchr(text, ')'); /* the name may hold anything */
	if (!p || p[1] != ' ' || p[2] == 'Z' || p[2] == 'X')
		return 0;
	for (field = 2, p++; *p && field < 22; p++)
		field += *p == ' ';
	start = strtoull(p, NULL, 10);
	return start;
}

/* ---- starting -------------------------------------------------------------------------------- */

/* In the child. Nothing is done before the facts are on disk: the parent says go, or is gone. */
static inline void exec_server_child(const struct exec_server *s, const struct exec_call *c)
{
	char word = 'r';
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC), code;

	if (setsid() >= 0 && write(s->said, &word, 1) == 1 && read(s->go, &word, 1) == 1 && null >= 0 &&
	    dup2(null, STDIN_FILENO) >= 0 && dup2(s->log, STDOUT_FILENO) >= 0 && dup2(s->log, STDERR_FILENO) >= 0 &&
	    chdir(c->cwd) == 0)
		execvpe(c->argv.v[0], c->argv.v, c->env.v);
	code = errno;
	if (write(s->said, &code, sizeof(code)) < 0)
		_exit(126);
	_exit(127);
}

/* The environment of this process with the call's own in front, where they are found first. */
static inline int exec_server_env(struct exec_call *c)
{
	char **e;
	size_t i, given = c->env.n;
	int r = 0;

	for (e = environ; e && *e && r == 0; e++) {
		size_t len = strcspn(*e, "=") + 1;

		for (i = 0; i < given && strncmp(c->env.v[i], *e, len) != 0; i++)
			;
		if (i == given)
			r = exec_words_add(&c->env, "%s", *e);
	}
	return r;
}

static inline int exec_server_fork(struct fst_ctx *ctx, struct exec_server *s, struct exec_call *c)
{
	int go[2], said[2];
	char word;

	if (exec_server_env(c) < 0 || pipe2(go, O_CLOEXEC) < 0)
		return fst_error(ctx, errno, "pipe");
	if (pipe2(said, O_CLOEXEC) < 0) {
		close(go[0]);
		close(go[1]);
		return fst_error(ctx, errno, "pipe");
	}
	s->pid = fork();
	if (s->pid == 0) {
		const struct exec_server own = { .log = s->log, .go = go[0], .said = said[1] };

		close(go[1]);
		close(said[0]);
		exec_server_child(&own, c);
	}
	close(go[0]);
	close(said[1]);
	s->go = go[1];
	s->said = said[0];
	if (s->pid < 0)
		return fst_error(ctx, errno, "fork");
	return read(s->said, &word, 1) == 1 ? 0 : fst_error(ctx, 0, "the server's process ended before it began");
}

static inline int exec_server_save(struct fst_ctx *ctx, const struct exec_server *s, int signal, uint64_t timeout_ns)
{
	char text[160], boot[64];
	int r;

	exec_boot_id(boot);
	snprintf(text, sizeof(text), "%d %" PRIu64, signal, timeout_ns);
	r = fst_save(ctx, EXEC_FACT_STOP, text);
	snprintf(text, sizeof(text), "%ld %llu %s", (long)s->pid, exec_start_time(s->pid), boot);
	if (r == 0)
		r = fst_save(ctx, EXEC_FACT_SERVER, text);
	return r == 0 ? fst_keep(ctx, s->pid) : r;
}

/* Lets it begin; an error when it could not. */
static inline int exec_server_begin(struct fst_ctx *ctx, struct exec_server *s, const struct exec_call *c)
{
	int code = 0;
	bool gone = write(s->go, "g", 1) != 1;

	if (read(s->said, &code, sizeof(code)) == (ssize_t)sizeof(code))
		return fst_error(ctx, code, "%s: cannot be started in %s", c->argv.v[0], c->cwd);
	return gone ? fst_error(ctx, 0, "%s ended before it began", c->argv.v[0]) : 0;
}

/* What it printed last: fresh, or NULL. */
static inline char *exec_server_log(const struct exec_server *s)
{
	struct stat st;
	off_t from;
	char *text = malloc(EXEC_LOG_MAX + 1);
	ssize_t n = -1;

	if (text && fstat(s->log, &st) == 0) {
		from = st.st_size > EXEC_LOG_MAX ? st.st_size - EXEC_LOG_MAX : 0;
		n = pread(s->log, text, EXEC_LOG_MAX, from);
	}
	if (text)
		text[n > 0 ? n : 0] = '\0';
	return text;
}

static inline int exec_server_fail(struct fst_ctx *ctx, const struct exec_server *s, const struct exec_call *c,
				   const char *what)
{
	char *log = exec_server_log(s), line[1024];
	int r = fst_error(ctx, 0, "%s %s: %s", exec_call_program(c), what,
			  said_message("", log ? log : "", line, sizeof(line)));

	free(log);
	return r;
}

/* Has it ended? Then that is the failure. */
static inline int exec_server_alive(struct fst_ctx *ctx, const struct exec_server *s, const struct exec_call *c)
{
	char what[64];
	int status;

	if (waitpid(s->pid, &status, WNOHANG) == 0)
		return 0;
	if (WIFSIGNALED(status))
		snprintf(what, sizeof(what), "was ended by signal %d", WTERMSIG(status));
	else
		snprintf(what, sizeof(what), "ended with status %d", WEXITSTATUS(status));
	return exec_server_fail(ctx, s, c, what);
}

/* Asks by `ready` until that succeeds, each time a little later. */
static inline int exec_server_wait(struct fst_ctx *ctx, const struct exec_server *s, const struct exec_call *c,
				   const struct exec_call *ready, uint64_t timeout_ns)
{
	const uint64_t end = fst_now(ctx) + timeout_ns, most = UINT64_C(500000000);
	uint64_t pause = UINT64_C(20000000);
	int r;

	for (;;) {
		struct fst_cmd_result res = { 0 };
		struct pollfd p = { .fd = pidfd_open(s->pid, 0), .events = POLLIN };

		r = exec_server_alive(ctx, s, c);
		if (r == 0 && ready)
			r = exec_call_run(ctx, ready, NULL, &res);
		if (r == 0 && (!ready || res.exit_status == 0))
			break;
		if (r == 0 && fst_now(ctx) >= end)
			r = exec_server_fail(ctx, s, c, "was not ready in time");
		if (r == 0) /* its end is worth waking up for */
			poll(&p, 1, (int)(pause / 1000000));
		close(p.fd);
		if (r < 0)
			return r;
		pause = pause * 2 < most ? pause * 2 : most;
	}
	return 0;
}

/* ---- ending ---------------------------------------------------------------------------------- */

static inline bool exec_server_read(const char *fact, struct exec_process *p)
{
	return sscanf(fact, "%ld %llu %63s", &p->pid, &p->start, p->boot) == 3 && p->pid > 1 && p->start;
}

/* Is it still the one that was started? Numbers are used again. */
static inline bool exec_server_is(const struct exec_process *p)
{
	char boot[64];

	exec_boot_id(boot);
	return strcmp(boot, p->boot) == 0 && exec_start_time(p->pid) == p->start;
}

static inline bool exec_server_gone(int pidfd, uint64_t timeout_ns)
{
	struct pollfd p = { .fd = pidfd, .events = POLLIN };

	return poll(&p, 1, (int)(timeout_ns / 1000000)) > 0;
}

/* What it printed, where that is kept in memory: a descriptor that outlives it, or -1. */
static inline int exec_server_open_log(long pid)
{
	static const char memory[] = "/memfd:" EXEC_LOG_NAME;
	char path[64], target[64];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%ld/fd/1", pid);
	n = readlink(path, target, sizeof(target) - 1);
	if (n < (ssize_t)sizeof(memory) - 1 || strncmp(target, memory, sizeof(memory) - 1) != 0)
		return -1;
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* Puts it into commands.log, where the output of all programs is. */
static inline void exec_server_tell_log(struct fst_ctx *ctx, int log)
{
	struct fst_cmd_result res = { .struct_size = sizeof(res) };
	char path[64];
	const char *const argv[] = { "cat", path, NULL };
	const struct fst_cmd cmd = { .argv = argv };

	snprintf(path, sizeof(path), "/proc/%ld/fd/%d", (long)getpid(), log);
	if (fst_run_cmd(ctx, &cmd, &res) < 0 || res.exit_status != 0)
		fst_warning(ctx, "what the server printed could not be read");
}

/* Asks it to end, then makes it, and what it left in its group with it. Nothing when it is not there. */
static inline int exec_server_end(struct fst_ctx *ctx)
{
	const char *fact = fst_saved(ctx, EXEC_FACT_SERVER), *how = fst_saved(ctx, EXEC_FACT_STOP);
	uint64_t timeout_ns = UINT64_C(60000000000);
	struct exec_process p;
	int signal = SIGTERM, fd, log, r = 0;

	if (!fact || !exec_server_read(fact, &p))
		return 0;
	if (how && sscanf(how, "%d %" SCNu64, &signal, &timeout_ns) != 2)
		signal = SIGTERM;
	fd = pidfd_open((pid_t)p.pid, 0);
	if (fd < 0 || !exec_server_is(&p))
		goto out;
	log = exec_server_open_log(p.pid);
	if (pidfd_send_signal(fd, signal, NULL, 0) < 0 && errno != ESRCH)
		r = fst_error(ctx, errno, "signal %d to process %ld", signal, p.pid);
	if (r == 0 && !exec_server_gone(fd, timeout_ns)) {
		fst_warning(ctx, "process %ld did not end in %.4g s and was killed", p.pid, (double)timeout_ns / 1e9);
		pidfd_send_signal(fd, SIGKILL, NULL, 0);
		if (!exec_server_gone(fd, UINT64_C(10000000000)))
			r = fst_error(ctx, EBUSY, "process %ld does not end", p.pid);
	}
	if (r == 0)
		kill((pid_t)-p.pid, SIGKILL);
	if (log >= 0) {
		exec_server_tell_log(ctx, log);
		close(log);
	}
out:
	if (fd >= 0)
		close(fd);
	return r;
}
