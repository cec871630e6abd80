/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A barrier for the common start. */
#include "core/io/gate.h"

#include <limits.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

void gate_force(struct gate *g)
{
	__atomic_store_n(&g->open, 1, __ATOMIC_RELEASE);
	syscall(SYS_futex, &g->open, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

void gate_watch(struct gate *g)
{
	/* Returns at once when open has changed meanwhile; a spurious wake-up looks again. */
	while (!__atomic_load_n(&g->open, __ATOMIC_ACQUIRE))
		syscall(SYS_futex, &g->open, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
}

void gate_arrive(struct gate *g)
{
	if (__atomic_add_fetch(&g->arrived, 1, __ATOMIC_ACQ_REL) != g->expected) {
		gate_watch(g);
		return;
	}
	if (g->opening)
		g->opening(g->arg);
	gate_force(g);
}
