/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Data buffers. */
#include "core/io/buffers.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

int buffers_init(struct buffers *b, uint32_t n, uint64_t bs)
{
	uint64_t size = (bs + BUFFER_BLOCK - 1) / BUFFER_BLOCK * BUFFER_BLOCK;
	void *slab;

	memset(b, 0, sizeof(*b));
	if (size < bs || !size || size > SIZE_MAX / n)
		return -ENOMEM;
	slab = mmap(NULL, size * n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (slab == MAP_FAILED)
		return -errno;
	b->slab = slab;
	b->size = size;
	b->n = n;
	return 0;
}

void buffers_randomise(struct buffers *b, struct prng *rng)
{
	prng_fill(rng, b->slab, b->size * b->n);
	b->next_stamp = prng_next(rng);
}

void buffers_release(struct buffers *b)
{
	if (b->slab)
		munmap(b->slab, b->size * b->n);
	memset(b, 0, sizeof(*b));
}
