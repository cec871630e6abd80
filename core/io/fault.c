/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/fault.h"

#include <string.h>

static _Thread_local struct fault *fault_here;

static void fault_handler(int sig)
{
	struct fault *f = fault_here;
	struct sigaction none = { .sa_handler = SIG_DFL };

	if (f) {
		fault_here = NULL;
		siglongjmp(f->env, 1);
	}
	/* Not ours: what failed is done again when this returns, and ends the process. */
	sigaction(sig, &none, NULL);
}

void fault_watch(struct sigaction *before)
{
	struct sigaction mine;

	memset(&mine, 0, sizeof(mine));
	mine.sa_handler = fault_handler;
	sigaction(SIGBUS, &mine, before);
}

void fault_unwatch(const struct sigaction *before)
{
	sigaction(SIGBUS, before, NULL);
}

void fault_catch(struct fault *f)
{
	fault_here = f;
}
