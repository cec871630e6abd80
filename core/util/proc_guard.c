/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A process beside a program that is run. */
#include "core/util/proc_guard.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/util/macro.h"

/* Between fork and end: async-signal-safe calls only. */
static _noreturn_ void guard_main(int fd, int other, pid_t group)
{
	struct sigaction dfl = { .sa_handler = SIG_DFL };
	char word;
	ssize_t n;

	setpgid(0, 0);
	for (int sig = 1; sig < NSIG; sig++)
		sigaction(sig, &dfl, NULL);
	close(other);
	/* Nothing that somebody waits for the end of may stay open here. */
	if (dup2(fd, STDIN_FILENO) < 0)
		_exit(1);
#ifdef SYS_close_range
	syscall(SYS_close_range, 1U, ~0U, 0U);
#endif
	do {
		n = read(STDIN_FILENO, &word, 1);
	} while (n < 0 && errno == EINTR);
	if (n == 0)
		kill(-group, SIGKILL);
	_exit(0);
}

void proc_guard_begin(struct proc_guard *g, pid_t group)
{
	sigset_t all, old;
	int fds[2];

	g->pid = -1;
	g->fd = -1;
	if (pipe2(fds, O_CLOEXEC) < 0)
		return;
	/* All signals stay blocked in it but SIGKILL. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	g->pid = fork();
	if (g->pid == 0)
		guard_main(fds[0], fds[1], group);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	close(fds[0]);
	if (g->pid < 0)
		close(fds[1]);
	else
		g->fd = fds[1];
}

void proc_guard_end(struct proc_guard *g)
{
	const struct timespec none = { 0, 0 };
	sigset_t pipe_only, old;

	if (g->pid < 0)
		return;
	/* It may have been killed: that is no reason to die of SIGPIPE. */
	sigemptyset(&pipe_only);
	sigaddset(&pipe_only, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &pipe_only, &old);
	if (write(g->fd, "e", 1) < 0 && errno == EPIPE)
		sigtimedwait(&pipe_only, NULL, &none);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	close(g->fd);
	while (waitpid(g->pid, NULL, 0) < 0 && errno == EINTR)
		;
	g->pid = -1;
}
