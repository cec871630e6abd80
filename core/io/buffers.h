/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Data buffers: one page-aligned slab a worker, one buffer for each I/O in flight. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/io/options.h"
#include "core/util/macro.h"
#include "core/util/prng.h"

enum { BUFFER_BLOCK = 4096 };

struct buffers {
	char *slab;  /* NULL: none */
	size_t size; /* of one, a multiple of 4096 */
	uint32_t n;
	uint64_t next_stamp;
};

/* n buffers for I/Os of bs bytes, zeroed. -ENOMEM when there is no such memory. */
int buffers_init(struct buffers *b, uint32_t n, uint64_t bs) _must_check_;
/*
 * What p asks for. Zeros and patterns begin anew with each BUFFER_BLOCK, so that a block is the same
 * whatever I/O carries it.
 */
void buffers_fill(struct buffers *b, const struct io_params *p, struct prng *rng);
/* Does what p asks for allow stamps? Zeros and patterns stay as they are. */
bool buffers_stamped(const struct io_params *p);
/* Random data from rng, and the stamps that follow are the worker's own. */
void buffers_randomise(struct buffers *b, struct prng *rng);
void buffers_release(struct buffers *b);

/*
 * Makes each 4 KiB of a buffer differ from all that went before, so that no block is ever written
 * twice and nothing can be deduplicated.
 */
static inline void buffers_stamp(struct buffers *b, void *buf, uint64_t length)
{
	uint64_t stamp = b->next_stamp;

	for (uint64_t at = 0; at + sizeof(stamp) <= length; at += BUFFER_BLOCK)
		*(uint64_t *)((char *)buf + at) = stamp++;
	b->next_stamp = stamp;
}
