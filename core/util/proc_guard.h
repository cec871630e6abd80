/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A process beside a program that is run: when we are killed, it kills what the program has started. */
#pragma once

#include <sys/types.h>

struct proc_guard {
	pid_t pid;
	int fd; /* whose end it waits for */
};

/*
 * The kernel kills a program with its parent, but not the program's own children. The guard, in a group of its own, kills
 * the process group when this process ends without proc_guard_end(). Where none can be made, things are as without.
 */
void proc_guard_begin(struct proc_guard *g, pid_t group);
/* The program has ended by itself, or was killed: whatever it left is somebody else's to decide on. */
void proc_guard_end(struct proc_guard *g);
