/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Comparing two sides. */
#include "core/report/comparison.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/util/exit.h"
#include "core/util/macro.h"
#include "core/util/xalloc.h"

/* What decides comes first, then the worse verdict, then the larger loss. */
static int worse_first(const void *a, const void *b)
{
	const struct comparison *x = a, *y = b;
	double dx = isnan(x->loss) ? 0 : x->loss, dy = isnan(y->loss) ? 0 : y->loss;

	if (x->gated != y->gated)
		return x->gated ? -1 : 1;
	if (x->verdict != y->verdict)
		return (int)x->verdict - (int)y->verdict;
	if (dx != dy)
		return dx > dy ? -1 : 1;
	return strcmp(x->base->key, y->base->key); /* the same output for the same input, in whatever order */
}

/* ---- boots ---- */

/* Number of each document's boot, from 0; caller frees. */
static uint32_t *boot_numbers(const struct set *s)
{
	uint32_t *boot = xcalloc(s->n_docs + 1, sizeof(*boot)), n = 0;

	for (size_t d = 0; d < s->n_docs; d++) {
		size_t k = 0;

		while (s->docs[k].boot != s->docs[d].boot)
			k++;
		boot[d] = k < d ? boot[k] : n++;
	}
	return boot;
}

/* What a boot's values of one cell come to. */
struct boot_sum {
	double logs, plain;
	size_t n;
	bool bad; /* a value has no logarithm */
};

/* The mean of the logarithms, as a mean of rates is not one of times. */
static double boot_mean(const struct boot_sum *b)
{
	return b->bad ? b->plain / (double)b->n : exp(b->logs / (double)b->n);
}

/* One value a boot, or none. Values are in the order of the trials, and these in that of the documents. */
static void boot_values(const struct set *s, const uint32_t *boot, const struct cell *c, struct cells *out)
{
	_cleanup_free_ struct boot_sum *sums = xcalloc(s->n_boots + 1, sizeof(*sums));
	struct cell_value v = { .step_id = c->key, .values = c->values, .step = c->step, .fs = c->fs, .metric = c->metric,
				.unit = c->unit, .better = c->better, .primary = c->primary };
	size_t d = 0;

	for (size_t i = 0; i < c->n; i++) {
		struct boot_sum *b;

		while (d + 1 < s->n_docs && s->docs[d + 1].first_trial <= c->trial[i])
			d++;
		b = &sums[boot[d]];
		b->n++;
		b->plain += c->v[i];
		b->bad |= !(c->v[i] > 0);
		b->logs += c->v[i] > 0 ? log(c->v[i]) : 0;
	}
	for (uint32_t i = 0; i < s->n_boots; i++) {
		if (!sums[i].n)
			continue;
		v.v = boot_mean(&sums[i]);
		v.trial = v.block = i;
		cells_put(out, &v);
	}
	/* What has failed in every boot has not vanished. */
	v.v = NAN;
	if (!c->n)
		cells_put(out, &v);
}

static void cells_by_boot(const struct set *s, struct cells *out)
{
	_cleanup_free_ uint32_t *boot = boot_numbers(s);

	*out = (struct cells){ .pool = s->pool };
	for (size_t i = 0; i < s->cells.n; i++) {
		struct cell *last;

		boot_values(s, boot, &s->cells.v[i], out);
		last = &out->v[out->n - 1];
		last->failed = s->cells.v[i].failed;
		last->unsteady = s->cells.v[i].unsteady;
		last->brief = cells_are_brief(&s->cells.v[i]) ? last->n : 0;
		last->drifts = s->cells.v[i].drifts;
	}
}

/* ---- comparing ---- */

/* What a step could have measured and never did, as the phases that a job does not ask for, is nothing to compare. */
static void match_cells(struct report *r, const struct cells *base, const struct cells *new)
{
	r->v = xcalloc(MAX(base->n, (size_t)1), sizeof(*r->v));
	for (size_t i = 0; i < base->n; i++) {
		const struct cell *one = &base->v[i], *other = cells_find(new, one->key);

		r->only_base += !other && one->n;
		if (other && (one->n || other->n) && (one->primary || !r->opt.gated_only))
			r->v[r->n++] = (struct comparison){ .base = one, .new = other };
	}
	for (size_t i = 0; i < new->n; i++)
		r->only_new += new->v[i].n && !cells_find(base, new->v[i].key);
}

void report_compare(struct report *r, struct set *base, struct set *new, const struct report_options *opt)
{
	const struct cells *a = &base->cells, *b = &new->cells;

	*r = (struct report){ .base = base, .new = new, .opt = *opt };
	comparable_find(&base->facts, &new->facts, &r->differences);
	guards_canaries(base, new, opt->verdict.delta, r->canary);
	cells_add_failed(&new->cells, &base->cells);
	cells_add_failed(&base->cells, &new->cells);
	if (base->n_boots >= REPORT_BOOTS && new->n_boots >= REPORT_BOOTS) {
		r->by_boot = true;
		r->opt.verdict.min_n = MIN(opt->verdict.min_n, (size_t)REPORT_BOOTS);
		cells_by_boot(base, &r->boots[0]);
		cells_by_boot(new, &r->boots[1]);
		a = &r->boots[0];
		b = &r->boots[1];
	}
	match_cells(r, a, b);
	guards_hold(r->v, r->n);
	verdict_family(r->v, r->n, &r->opt.verdict);
	guards_take_back(r->v, r->n, r->canary);
	accept_apply(opt->accepts, r->v, r->n, new);
	verdict_suite(r->v, r->n, &r->opt.verdict, &r->suite);
	if (r->n)
		qsort(r->v, r->n, sizeof(*r->v), worse_first);
	attribute_find(r->v, r->n, &r->where);
}

void report_release(struct report *r)
{
	free(r->v);
	cells_release(&r->boots[0]);
	cells_release(&r->boots[1]);
	comparable_release(&r->differences);
	attribute_release(&r->where);
	*r = (struct report){ 0 };
}

/* ---- what came out ---- */

size_t report_count(const struct report *r, enum verdict verdict)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++)
		n += r->v[i].gated && r->v[i].verdict == verdict && !r->v[i].accepted;
	return n;
}

size_t report_count_accepted(const struct report *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++)
		n += r->v[i].gated && r->v[i].accepted;
	return n;
}

size_t report_count_unsettled(const struct report *r)
{
	return report_count(r, VERDICT_INCONCLUSIVE) + report_count(r, VERDICT_SUSPECT) +
	       report_count(r, VERDICT_NO_RATIO);
}

/* Does the machine itself compute at another speed? */
static bool machine_moved(const struct report *r)
{
	return r->canary[CANARY_COMPUTE].moved;
}

bool report_refused(const struct report *r)
{
	return !r->opt.forced && (r->differences.confounding || r->base->mixed_with || r->new->mixed_with ||
				  machine_moved(r));
}

bool report_boot_confounded(const struct report *r)
{
	return !r->by_boot && r->base->n_docs && r->new->n_docs && r->base->docs[0].boot != r->new->docs[0].boot;
}

int report_exit(const struct report *r, bool allow_inconclusive)
{
	if (report_refused(r) || !r->n)
		return EXIT_NOT_COMPARABLE;
	if (report_count(r, VERDICT_REGRESSED) || r->suite.worse)
		return EXIT_FAILED;
	return report_count_unsettled(r) && !allow_inconclusive ? EXIT_INCONCLUSIVE : EXIT_GOOD;
}

char *report_detectable(const struct report *r)
{
	double best = INFINITY, worst = 0;

	for (size_t i = 0; i < r->n; i++) {
		if (!r->v[i].gated || isnan(r->v[i].detectable))
			continue;
		best = fmin(best, r->v[i].detectable);
		worst = fmax(worst, r->v[i].detectable);
	}
	if (isinf(best))
		return xstrdup("With so few values nothing can be said of what would have been seen.");
	return xasprintf("A loss of %.1f %% would have been found 8 times in 10 in the steadiest cell, one of "
			 "%.1f %% in the noisiest.",
			 100 * best, 100 * worst);
}
