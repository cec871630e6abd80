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

/* Zeros are at the end of each block: its beginning is the stamp's. */
static void buffers_thin(struct buffers *b, const struct io_params *p)
{
	uint64_t block, max;
	size_t zeros;

	io_block_sizes(p, &block, &max);
	block = MIN(block, (uint64_t)BUFFER_BLOCK);
	zeros = (size_t)(block * p->buffer_compress_percentage / 100);
	for (size_t at = 0; zeros && at + block <= b->size * b->n; at += block)
		memset(b->slab + at + block - zeros, 0, zeros);
}

static void buffers_repeat(struct buffers *b, const unsigned char *pattern, uint32_t n)
{
	for (size_t i = 0; n && i < b->size * b->n; i++)
		b->slab[i] = (char)pattern[i % BUFFER_BLOCK % n];
}

void buffers_fill(struct buffers *b, const struct io_params *p, struct prng *rng)
{
	if (p->buffers == IO_BUFFERS_PATTERN)
		buffers_repeat(b, p->pattern, p->n_pattern);
	if (p->buffers != IO_BUFFERS_RANDOM)
		return;
	buffers_randomise(b, rng);
	buffers_thin(b, p);
}

bool buffers_stamped(const struct io_params *p)
{
	uint64_t block, max;

	io_block_sizes(p, &block, &max);
	block = MIN(block, (uint64_t)BUFFER_BLOCK);
	return p->buffers == IO_BUFFERS_RANDOM &&
	       block - block * p->buffer_compress_percentage / 100 >=
		       MIN(block, (uint64_t)sizeof(uint64_t));
}

void buffers_release(struct buffers *b)
{
	if (b->slab)
		munmap(b->slab, b->size * b->n);
	memset(b, 0, sizeof(*b));
}
