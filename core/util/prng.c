/* SPDX-License-Identifier: GPL-3.0-or-later */
/* xoshiro256** seeded by splitmix64. */
#include "core/util/prng.h"

#include <string.h>

static uint64_t prng_splitmix(uint64_t *x)
{
	uint64_t z = (*x += 0x9e3779b97f4a7c15ULL);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

void prng_seed(struct prng *p, uint64_t seed, uint64_t stream)
{
	/*
	 * Both numbers are mixed before they meet, so that small seeds with small stream numbers do
	 * not give the same state. Four successive splitmix outputs differ: never all zero.
	 */
	uint64_t salt = stream ^ 0x5bf0363546294ce7ULL;
	uint64_t x = prng_splitmix(&seed) ^ prng_splitmix(&salt);

	for (size_t i = 0; i < 4; i++)
		p->s[i] = prng_splitmix(&x);
}

void prng_fill(struct prng *p, void *buf, size_t len)
{
	unsigned char *at = buf;
	uint64_t word;

	for (; len >= sizeof(word); len -= sizeof(word), at += sizeof(word)) {
		word = prng_next(p);
		memcpy(at, &word, sizeof(word));
	}
	if (len) {
		word = prng_next(p);
		memcpy(at, &word, len);
	}
}

void prng_shuffle(struct prng *p, uint32_t *v, size_t n)
{
	for (size_t i = n; i > 1; i--) {
		size_t j = (size_t)prng_below(p, i);
		uint32_t swap = v[i - 1];

		v[i - 1] = v[j];
		v[j] = swap;
	}
}
