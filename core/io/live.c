/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared memory between a session and the step it watches. */
#include "core/io/live.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static size_t live_size(uint32_t n_workers)
{
	return sizeof(struct live) + (size_t)n_workers * sizeof(struct live_worker);
}

struct live *live_new(uint32_t n_workers)
{
	struct live *l = mmap(NULL, live_size(n_workers), PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (l == MAP_FAILED) {
		fprintf(stderr, "fstrial: error: shared memory for %u workers: %s\n", n_workers,
			strerror(errno));
		abort();
	}
	l->n_workers = n_workers;
	return l;
}

void live_free(struct live *l, uint32_t n_workers)
{
	if (l)
		munmap(l, live_size(n_workers));
}
