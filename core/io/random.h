/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which block comes next at random: by one of several distributions, the same for the same seed.
 *
 * Uniform without repeats needs no map at all: each pass counts through a permutation of the blocks that
 * is computed, not stored. Of zipf, pareto and normal the popular blocks are scattered over the
 * file by such a permutation too, the same one for all workers of a step; zones stay where they are.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/io/options.h"
#include "core/util/prng.h"

/* A permutation of [0, n). */
struct permutation {
	uint64_t n, mask;
	uint64_t add, mul[3];
	unsigned int shift[2];
};

struct random_blocks {
	uint64_t (*draw)(struct random_blocks *r);
	uint64_t n; /* blocks; 0: not known yet, then draw gives FST_ALL_TAKEN */
	uint64_t given;
	struct permutation order;
	struct prng rng;
	const struct io_random *spec;
	bool norandommap;
	uint64_t seed;
	double a, b, c;			  /* of the distribution */
	double zone_to[IO_MAX_SHARES][2]; /* sums of access and of size, 0 to 1 */
	uint32_t n_zones;
};

/* Keys from rng. */
void permutation_init(struct permutation *p, uint64_t n, struct prng *rng);

static inline uint64_t permutation_at(const struct permutation *p, uint64_t x)
{
	/* Each line has an inverse modulo a power of two; what falls out of range goes round. */
	do {
		x = (x + p->add) & p->mask;
		x ^= x >> p->shift[0];
		x = (x * p->mul[0]) & p->mask;
		x ^= x >> p->shift[1];
		x = (x * p->mul[1]) & p->mask;
		x ^= x >> p->shift[0];
		x = (x * p->mul[2]) & p->mask;
		x ^= x >> p->shift[1];
	} while (x >= p->n);
	return x;
}

/* Stream number worker of seed. spec is kept. */
void random_init(struct random_blocks *r, const struct io_random *spec, bool norandommap,
		 uint64_t seed, uint32_t worker);
/* The first call, or another number of blocks. */
void random_begin(struct random_blocks *r, uint64_t n);

/* fst_random_block(). */
static inline uint64_t random_block(struct random_blocks *r, uint64_t n)
{
	if (__builtin_expect(n != r->n, 0))
		random_begin(r, n);
	return r->draw(r);
}
