/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SIGBUS in a worker that copies from or to mapped files: the kernel's only way to say that what is under
 * the mapping is gone, or that its device failed. It ends the I/O instead of the process.
 */
#pragma once

#include <setjmp.h>
#include <signal.h>

struct fault {
	sigjmp_buf env;
};

/* For the process, while workers run: what was before is put back. */
void fault_watch(struct sigaction *before);
void fault_unwatch(const struct sigaction *before);
/* Of this thread: a SIGBUS from here on jumps to f->env. NULL: it ends the process as it always did. */
void fault_catch(struct fault *f);
