/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Signals that end a session, by signalfd. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "core/run/signals.h"
#include "core/util/log.h"

/* Of the one session that a process runs. */
static struct {
	int count;
	int first;
} seen;

static void signals_set(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGHUP);
}

int signals_begin(struct err *e)
{
	sigset_t set;
	int fd;

	signals_set(&set);
	if (sigprocmask(SIG_BLOCK, &set, NULL) < 0)
		return err_sys(e, errno, "sigprocmask");
	/* A reader of our output that goes away must not leave the machine changed. */
	signal(SIGPIPE, SIG_IGN);
	/* A file larger than one may be is an error of its write, also in a step; programs get it as usual. */
	signal(SIGXFSZ, SIG_IGN);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? err_sys(e, errno, "signalfd") : fd;
}

enum signals_wish signals_read(int fd)
{
	struct signalfd_siginfo info;

	while (read(fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		seen.count++;
		if (seen.count == 1) {
			seen.first = (int)info.ssi_signo;
			log_info("SIG%s: ending the step, putting the machine back, writing the results",
				 sigabbrev_np(seen.first));
		} else if (seen.count == 2) {
			log_info("still ending; once more to kill the step at once (the machine is put back all the same)");
		}
	}
	return seen.count == 0 ? SIGNALS_NONE : seen.count < 3 ? SIGNALS_STOP : SIGNALS_KILL;
}

const char *signals_name(void)
{
	static char name[16];

	if (!seen.count)
		return NULL;
	snprintf(name, sizeof(name), "SIG%s", sigabbrev_np(seen.first));
	return name;
}

void signals_child(void)
{
	sigset_t set;

	signal(SIGPIPE, SIG_DFL);
	sigemptyset(&set);
	sigprocmask(SIG_SETMASK, &set, NULL);
}
