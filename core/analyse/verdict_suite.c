/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All cells of a family together. */
#include <math.h>
#include <stdlib.h>

#include "core/analyse/basic.h"
#include "core/analyse/verdict.h"
#include "core/util/macro.h"
#include "core/util/vec.h"
#include "core/util/xalloc.h"

/* What the cells of one block lie above their own middle, as a loss. */
struct block_loss {
	uint32_t block;
	double sum;
	size_t n;
};
struct block_losses {
	struct block_loss *v;
	size_t n, cap;
};

static struct block_loss *block_of(struct block_losses *b, uint32_t block)
{
	for (size_t i = 0; i < b->n; i++)
		if (b->v[i].block == block)
			return &b->v[i];
	vec_push(b, ((struct block_loss){ .block = block }));
	return &b->v[b->n - 1];
}

static void blocks_add(struct block_losses *b, const struct cell *cell, const double *logs, double middle, double sign)
{
	for (size_t i = 0; i < cell->n; i++) {
		struct block_loss *one = block_of(b, cell->block[i]);

		one->sum += sign * (logs[i] - middle);
		one->n++;
	}
}

static double *blocks_means(const struct block_losses *b)
{
	double *m = xcalloc(MAX(b->n, (size_t)1), sizeof(*m));

	for (size_t i = 0; i < b->n; i++)
		m[i] = b->v[i].sum / (double)b->v[i].n;
	return m;
}

/*
 * Cells of one block were measured next to each other, and what slowed the machine then slowed them all: over cells
 * alone that looks like a change of all. So the means of blocks are held against each other, too.
 */
static void suite_by_block(const struct comparison *const *v, size_t n, struct ttest *t)
{
	struct block_losses base = { 0 }, new = { 0 };
	double *x, *y;

	for (size_t i = 0; i < n; i++) {
		const struct cell *a = v[i]->base, *b = v[i]->new;
		_cleanup_free_ double *la = basic_log(a->v, a->n), *lb = basic_log(b->v, b->n);
		const double sign = a->better == CELL_LOWER ? 1 : -1;
		double middle;

		if (!la || !lb || !a->block || !b->block)
			continue;
		middle = (basic_mean(la, a->n) + basic_mean(lb, b->n)) / 2;
		blocks_add(&base, a, la, middle, sign);
		blocks_add(&new, b, lb, middle, sign);
	}
	x = blocks_means(&base);
	y = blocks_means(&new);
	ttest_welch(x, base.n, y, new.n, t);
	free(x);
	free(y);
	free(base.v);
	free(new.v);
}

void verdict_suite(const struct comparison *v, size_t n, const struct verdict_options *opt, struct verdict_suite *s)
{
	struct stratum *st = xcalloc(MAX(n, (size_t)1), sizeof(*st));
	const struct comparison **in = xcalloc(MAX(n, (size_t)1), sizeof(*in));
	double least = INFINITY;
	size_t k = 0;

	for (size_t i = 0; i < n; i++) {
		bool lower = v[i].base->better == CELL_LOWER;
		const struct cell *x = lower ? v[i].base : v[i].new, *y = lower ? v[i].new : v[i].base;

		if (!v[i].gated || isnan(v[i].ratio) || v[i].accepted || v[i].hold || verdict_is_few(&v[i], opt))
			continue;
		/* A larger y is a loss in every stratum: lower-is-better as it is, higher-is-better swapped. */
		in[k] = &v[i];
		st[k++] = (struct stratum){ .x = x->v, .y = y->v, .nx = x->n, .ny = y->n };
		least = fmin(least, v[i].delta);
	}
	strata_suite(st, k, &s->geo);
	strata_van_elteren(st, k, !opt->quick, &s->rank);
	suite_by_block(in, k, &s->blocks);
	s->worse = k > 1 && s->geo.t.lo > 0 && s->geo.t.diff >= -log(1 - least) / 2 && s->geo.t.p <= opt->alpha &&
		   (isnan(s->blocks.lo) || s->blocks.lo > 0);
	free(in);
	free(st);
}
