/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every step of every variant, each distinct combination of the factors it depends on once. */
#include "core/job/check.h"

#include <string.h>

#include "core/util/xalloc.h"

/* A combination: the first variant that has it, and how many do. */
struct distinct {
	uint32_t first, n;
};

/* The factors of a step, and the number of their combinations. */
static uint64_t distinct_size(const struct job *job, uint64_t factors)
{
	uint64_t n = 1;

	for (size_t f = 0; f < job->n_factors; f++) {
		if (factors >> f & 1)
			n *= job->factors[f].n;
	}
	return n;
}

static uint64_t distinct_key(const struct job *job, uint64_t factors, uint32_t variant)
{
	uint64_t key = 0;

	for (size_t f = 0; f < job->n_factors; f++) {
		if (factors >> f & 1)
			key = key * job->factors[f].n + job_variant_choice(job, variant, f);
	}
	return key;
}

typedef int (*distinct_fn)(const struct job *job, size_t step, uint32_t variant,
			   uint32_t n_variants, void *arg);

static int distinct_step(const struct job *job, size_t step, distinct_fn fn, void *arg)
{
	uint64_t factors = job->steps[step].factors, size = distinct_size(job, factors);
	struct distinct *seen = xcalloc(size, sizeof(*seen));
	int ret = 0;

	for (uint32_t i = 0; i < job->n_variants; i++) {
		struct distinct *s = &seen[distinct_key(job, factors, i)];

		if (!s->n++)
			s->first = i;
	}
	for (uint64_t k = 0; !ret && k < size; k++) {
		if (seen[k].n && job_step_active(job, step, seen[k].first))
			ret = fn(job, step, seen[k].first, seen[k].n, arg);
	}
	free(seen);
	return ret;
}

int job_each_distinct(const struct job *job, distinct_fn fn, void *arg)
{
	int ret = 0;

	for (size_t i = 0; !ret && job->n_variants && i < job->n_steps; i++) {
		if (!job->steps[i].broken)
			ret = distinct_step(job, i, fn, arg);
	}
	return ret;
}

static int check_one(const struct job *job, size_t step, uint32_t variant, uint32_t n_variants,
		     void *arg)
{
	struct step s;

	(void)n_variants;
	if (job_step_resolve(job, step, variant, &s, arg)) {
		/* It is in arg; the others are wanted, too. */
	}
	step_release(&s);
	return 0;
}

void job_check(const struct job *job, struct diag *d)
{
	job_each_distinct(job, check_one, d);
}
