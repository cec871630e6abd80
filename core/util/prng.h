/* SPDX-License-Identifier: GPL-3.0-or-later */
/* xoshiro256** seeded by splitmix64: fast, seedable, not for secrets. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct prng {
	uint64_t s[4];
};

/* Independent streams for the same seed and different stream numbers. */
void prng_seed(struct prng *p, uint64_t seed, uint64_t stream);

static inline uint64_t prng_rotl(uint64_t x, int k)
{
	return (x << k) | (x >> (64 - k));
}

static inline uint64_t prng_next(struct prng *p)
{
	const uint64_t result = prng_rotl(p->s[1] * 5, 7) * 9, t = p->s[1] << 17;

	p->s[2] ^= p->s[0];
	p->s[3] ^= p->s[1];
	p->s[1] ^= p->s[2];
	p->s[0] ^= p->s[3];
	p->s[2] ^= t;
	p->s[3] = prng_rotl(p->s[3], 45);
	return result;
}

/* Uniform in [0, n), n > 0, without modulo bias worth speaking of (multiply-shift). */
static inline uint64_t prng_below(struct prng *p, uint64_t n)
{
	return (uint64_t)(((unsigned __int128)prng_next(p) * n) >> 64);
}

/* Fills a buffer with random, hence incompressible, bytes. */
void prng_fill(struct prng *p, void *buf, size_t len);
/* Fisher-Yates. */
void prng_shuffle(struct prng *p, uint32_t *v, size_t n);
