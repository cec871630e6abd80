/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Running a program: no shell, output captured, a bound on its time. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/util/err.h"
#include "core/util/macro.h"
#include "core/util/strbuf.h"

struct proc_cmd {
	const char *const *argv; /* NULL-terminated; argv[0] is looked up in PATH and the sbin folders */
	const char *const *env;	 /* extra NAME=VALUE, NULL-terminated, or NULL; LC_ALL=C is always set */
	const char *cwd;	 /* or NULL */
	uint64_t timeout_ns;	 /* 0: none; beyond it the program's process group is killed */
	/* NULL, or what another thread sets: then the group gets SIGTERM, and after a while is killed. */
	const int *stop;
};

struct proc_result {
	int exit_status; /* 0..255; -1 when it did not exit by itself */
	int signal;	 /* that ended it, or 0 */
	bool timed_out;	 /* killed; with signal 0 it could not even be killed and was left behind */
	bool stopped;	 /* by stop, whatever it made of that */
	bool cut;	 /* it printed more than is kept */
	uint64_t wall_ns;
	/* stdout and stderr as texts, a blank for each NUL; at most the first 1 MiB is kept. */
	struct strbuf out;
	struct strbuf err;
};

/*
 * Runs cmd to its end with stdin from /dev/null. 0 when it was started, whatever its exit status;
 * -ENOENT (named in e) when it is not found. *res is to be released by the caller in either case.
 * The program dies with the calling thread, and its process group with this process. What it left running in the background is neither
 * killed nor waited for, even if it still holds the output open.
 */
int proc_run(const struct proc_cmd *cmd, struct proc_result *res, struct err *e) _must_check_;
void proc_result_release(struct proc_result *res);
/* Full path of a program as proc_run() would find it; caller frees; NULL when there is none. */
char *proc_find(const char *program);
