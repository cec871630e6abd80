/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which block comes next at random. */
#include "core/io/random.h"

#include <math.h>
#include <string.h>

#include "core/util/macro.h"

/* Keeps the streams of blocks apart from what fst_random() gives. */
#define RANDOM_SALT 0x626c6f636b73ull

void permutation_init(struct permutation *p, uint64_t n, struct prng *rng)
{
	const unsigned int bits = n > 1 ? 64 - (unsigned int)__builtin_clzll(n - 1) : 0;

	p->n = n;
	p->mask = bits ? UINT64_MAX >> (64 - bits) : 0;
	p->add = prng_next(rng);
	for (size_t i = 0; i < ARRAY_SIZE(p->mul); i++)
		p->mul[i] = prng_next(rng) | 1;
	p->shift[0] = bits / 2 + 1;
	p->shift[1] = MAX(bits * 2 / 5, 1u);
}

/* In [0, 1). */
static double random_unit(struct random_blocks *r)
{
	return (double)(prng_next(&r->rng) >> 11) * 0x1p-53;
}

static uint64_t random_uniform(struct random_blocks *r)
{
	return prng_below(&r->rng, r->n);
}

static __attribute__((cold, noinline)) uint64_t random_pass_over(struct random_blocks *r)
{
	r->given = 0;
	permutation_init(&r->order, r->n, &r->rng);
	return FST_ALL_TAKEN;
}

static uint64_t random_each_once(struct random_blocks *r)
{
	if (__builtin_expect(r->given == r->n, 0))
		return random_pass_over(r);
	return permutation_at(&r->order, r->given++);
}

/*
 * Zipf's law by rejection-inversion (Hoermann and Derflinger, 1996): exact for every exponent above
 * 0, and without a table. hat is the integral of x^-theta.
 */
static double zipf_hat(double theta, double x)
{
	const double log_x = log(x), t = (1 - theta) * log_x;

	return log_x * (fabs(t) > 1e-8 ? expm1(t) / t : 1 + t / 2 * (1 + t / 3));
}

static double zipf_hat_inverse(double theta, double x)
{
	const double t = fmax(x * (1 - theta), -1);

	return exp(x * (fabs(t) > 1e-8 ? log1p(t) / t : 1 - t * (0.5 - t / 3)));
}

static double zipf_density(double theta, double x)
{
	return exp(-theta * log(x));
}

static uint64_t random_zipf(struct random_blocks *r)
{
	const double theta = r->spec->theta, n = (double)r->n;

	for (;;) {
		double u = r->b + random_unit(r) * (r->a - r->b);
		double x = zipf_hat_inverse(theta, u);
		double k = fmin(fmax(floor(x + 0.5), 1), n);

		if (k - x <= r->c || u >= zipf_hat(theta, k + 0.5) - zipf_density(theta, k))
			return permutation_at(&r->order, (uint64_t)k - 1);
	}
}

static void random_begin_zipf(struct random_blocks *r)
{
	const double theta = r->spec->theta;

	r->a = zipf_hat(theta, 1.5) - 1;
	r->b = zipf_hat(theta, (double)r->n + 0.5);
	r->c = 2 - zipf_hat_inverse(theta, zipf_hat(theta, 2.5) - zipf_density(theta, 2));
}

/* A share h of the blocks gets 1 - h of the accesses, and so on within each part. */
static uint64_t random_pareto(struct random_blocks *r)
{
	uint64_t x = (uint64_t)((double)r->n * pow(random_unit(r), r->a));

	return permutation_at(&r->order, MIN(x, r->n - 1));
}

/* By Marsaglia's polar method; what falls outside is drawn again. */
static uint64_t random_normal(struct random_blocks *r)
{
	for (;;) {
		double u = 2 * random_unit(r) - 1, v = 2 * random_unit(r) - 1, s = u * u + v * v, x;

		if (s >= 1 || s == 0)
			continue;
		x = 0.5 * (double)r->n + r->a * u * sqrt(-2 * log(s) / s);
		if (x >= 0 && x < (double)r->n)
			return permutation_at(&r->order, MIN((uint64_t)x, r->n - 1));
	}
}

static uint64_t random_zoned(struct random_blocks *r)
{
	const double u = random_unit(r), n = (double)r->n;
	uint64_t from, to;
	uint32_t i = 0;

	while (i + 1 < r->n_zones && u >= r->zone_to[i][0])
		i++;
	from = i ? (uint64_t)(n * r->zone_to[i - 1][1]) : 0;
	to = i + 1 < r->n_zones ? (uint64_t)(n * r->zone_to[i][1]) : r->n;
	from = MIN(from, r->n - 1);
	return from + (to > from ? prng_below(&r->rng, to - from) : 0);
}

static void random_begin_zones(struct random_blocks *r)
{
	double access = 0, size = 0;

	r->n_zones = r->spec->n_zones;
	for (uint32_t i = 0; i < r->n_zones; i++) {
		access += r->spec->zones[i].access / 100;
		size += r->spec->zones[i].size / 100;
		r->zone_to[i][0] = access;
		r->zone_to[i][1] = size;
	}
}

static uint64_t random_none(struct random_blocks *r)
{
	(void)r;
	return FST_ALL_TAKEN;
}

void random_init(struct random_blocks *r, const struct io_random *spec, bool norandommap,
		 uint64_t seed, uint32_t worker)
{
	memset(r, 0, sizeof(*r));
	r->draw = random_none;
	r->spec = spec;
	r->norandommap = norandommap;
	r->seed = seed ^ RANDOM_SALT;
	prng_seed(&r->rng, r->seed, worker);
}

void random_begin(struct random_blocks *r, uint64_t n)
{
	struct prng common;

	r->n = n;
	r->given = 0;
	/* The same blocks are popular with all workers. */
	prng_seed(&common, r->seed, UINT32_MAX);
	permutation_init(&r->order, n, &common);
	if (!n) {
		r->draw = random_none;
		return;
	}
	switch (r->spec->kind) {
	case IO_ZIPF:
		random_begin_zipf(r);
		r->draw = random_zipf;
		break;
	case IO_PARETO:
		r->a = log(r->spec->theta) / log(1 - r->spec->theta);
		r->draw = random_pareto;
		break;
	case IO_NORMAL:
		r->a = r->spec->theta / 100 * (double)n;
		r->draw = random_normal;
		break;
	case IO_ZONED:
		random_begin_zones(r);
		r->draw = random_zoned;
		break;
	default:
		permutation_init(&r->order, n, &r->rng);
		r->draw = r->norandommap ? random_uniform : random_each_once;
	}
}
