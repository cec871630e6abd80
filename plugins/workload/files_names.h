/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names, sizes and orders of files that are computed from their number, so that no list of them is
 * ever kept: a million files cost as much memory as one.
 */
#pragma once

#include <math.h>
#include <string.h>

#include <fstrial/plugin.h>

enum {
	FILES_DIGITS = 10,	   /* hexadecimal: 2^40 files */
	FILES_NAME_MIN = 1 + FILES_DIGITS,
	FILES_NAME_MAX = 1000,	   /* more than file systems take: they are to say so */
	FILES_NUMBER_BITS = 4 * FILES_DIGITS,
};

enum files_names { FILES_SEQUENTIAL, FILES_RANDOM, FILES_HASHED };

enum files_sizes { FILES_FIXED, FILES_UNIFORM, FILES_LOGNORMAL, FILES_EXPONENTIAL };

/* A bijection of 64 bits that looks random: the finaliser of splitmix64. */
static inline uint64_t files_mix(uint64_t z)
{
	z += UINT64_C(0x9e3779b97f4a7c15);
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* In [0, 1), from the upper 53 bits. */
static inline double files_unit(uint64_t bits)
{
	return (double)(bits >> 11) * 0x1p-53;
}

/* ---- orders ---------------------------------------------------------------------------------- */

struct files_order {
	uint64_t n;    /* permutes 0 .. n-1 */
	uint64_t mask; /* of the power of two at or above n */
	uint64_t mul, add;
	uint32_t shift;
};

static inline void files_order_init(struct files_order *o, uint64_t n, uint64_t seed)
{
	uint32_t bits = 1;

	while (bits < 63 && (UINT64_C(1) << bits) < n)
		bits++;
	o->n = n;
	o->mask = (UINT64_C(1) << bits) - 1;
	o->mul = files_mix(seed) | 1;
	o->add = files_mix(seed + 1);
	o->shift = (bits + 1) / 2;
}

/*
 * Every step is a bijection of the numbers below the power of two, and so is walking on until
 * one below n is found: less than two rounds on average.
 */
static inline uint64_t files_order_at(const struct files_order *o, uint64_t i)
{
	do {
		for (int round = 0; round < 3; round++) {
			i = (i * o->mul + o->add) & o->mask;
			i ^= i >> o->shift;
		}
	} while (i >= o->n);
	return i;
}

/* ---- names ----------------------------------------------------------------------------------- */

struct files_namer {
	int kind; /* enum files_names */
	uint32_t length;
	uint64_t seed;
	struct files_order scramble; /* hashed: of all numbers there are */
};

static inline void files_namer_init(struct files_namer *n, int kind, uint64_t length, uint64_t seed)
{
	n->kind = kind;
	n->length = (uint32_t)length;
	n->seed = seed;
	files_order_init(&n->scramble, UINT64_C(1) << FILES_NUMBER_BITS, seed);
}

static inline void files_put_digits(char *at, uint64_t number)
{
	static const char hex[] = "0123456789abcdef";

	for (int i = FILES_DIGITS - 1; i >= 0; i--, number >>= 4)
		at[i] = hex[number & 15];
}

/*
 * What stands between the first letter and the number: zeros, so that names sort as they are
 * numbered, or letters that differ from name to name.
 */
static inline void files_put_padding(const struct files_namer *n, char *at, uint64_t number)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
	uint32_t left = n->length - FILES_NAME_MIN;
	uint64_t bits = 0;

	if (n->kind != FILES_RANDOM) {
		memset(at, '0', left);
		return;
	}
	for (uint32_t i = 0; i < left; i++, bits >>= 6) {
		if (i % 10 == 0)
			bits = files_mix(n->seed ^ (number * 128 + i));
		at[i] = letters[bits & 63];
	}
}

/* Writes the name of that number, which is length bytes long, and its NUL. Equal for equal numbers only. */
static inline void files_name(const struct files_namer *n, char *buf, char first, uint64_t number)
{
	char *digits = buf + n->length - FILES_DIGITS;

	buf[0] = first;
	if (n->length > FILES_NAME_MIN)
		files_put_padding(n, buf + 1, number);
	if (n->kind == FILES_HASHED)
		number = files_order_at(&n->scramble, number);
	files_put_digits(digits, number);
	digits[FILES_DIGITS] = '\0';
}

/* ---- sizes ----------------------------------------------------------------------------------- */

struct files_size {
	int kind; /* enum files_sizes */
	uint64_t size, min, max;
	double sigma;
	uint64_t seed;
};

/* check: sizes about a mean need one, within their limits. max 0: no limit. */
static inline int files_check_mean(struct fst_ctx *ctx, int kind, uint64_t size, uint64_t min,
				   uint64_t max)
{
	if (kind != FILES_LOGNORMAL && kind != FILES_EXPONENTIAL)
		return 0;
	if (!size)
		return fst_error(ctx, 0, "size_distribution: size, the mean, is to be at least 1");
	if (size < min || (max && size > max))
		return fst_error(ctx, 0,
				 "size, the mean, does not lie between size_min and size_max");
	return 0;
}

/* A number of the standard normal distribution, by Box and Muller. */
static inline double files_normal(uint64_t a, uint64_t b)
{
	return sqrt(-2 * log(1 - files_unit(a))) * cos(6.283185307179586 * files_unit(b));
}

static inline double files_size_drawn(const struct files_size *s, uint64_t number)
{
	uint64_t a = files_mix(s->seed ^ (2 * number)), b = files_mix(s->seed ^ (2 * number + 1));

	switch (s->kind) {
	case FILES_UNIFORM:
		return (double)s->min + floor(files_unit(a) * ((double)(s->max - s->min) + 1));
	case FILES_LOGNORMAL:
		return exp(log((double)s->size) - s->sigma * s->sigma / 2 +
			   s->sigma * files_normal(a, b));
	case FILES_EXPONENTIAL:
		return -(double)s->size * log(1 - files_unit(a));
	default:
		return (double)s->size;
	}
}

/* Bytes of the file with that number; max 0: no upper bound. */
static inline uint64_t files_size_at(const struct files_size *s, uint64_t number)
{
	double d;

	if (s->kind == FILES_FIXED)
		return s->size;
	d = files_size_drawn(s, number);
	if (d < (double)s->min)
		return s->min;
	if (s->max && d > (double)s->max)
		return s->max;
	return (uint64_t)d;
}
