/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Verdicts: those of the golden data, and what must not change them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <CUnit/CUnit.h>

#include "core/analyse/basic.h"
#include "core/analyse/rank.h"
#include "core/analyse/verdict.h"
#include "core/util/json.h"
#include "core/util/macro.h"
#include "core/util/prng.h"
#include "core/util/str.h"
#include "core/util/xalloc.h"

void test_analyse_verdict(void);

enum { CELLS = 24, REPEATS = 5 };

static const struct verdict_options usual = { .alpha = 0.05, .delta = 0.05, .min_n = 5 };

struct side {
	struct cell cell;
	double v[16];
	char metric[16], unit[16];
};

static void side_fill(struct side *s, const double *v, size_t n, enum cell_better better)
{
	memcpy(s->v, v, n * sizeof(*v));
	strcpy(s->metric, "throughput");
	strcpy(s->unit, "bytes/s");
	s->cell = (struct cell){ .metric = s->metric, .unit = s->unit, .better = better, .primary = true, .v = s->v,
				 .n = n };
}

static enum verdict verdict_of(const double *x, size_t nx, const double *y, size_t ny, enum cell_better better,
			       size_t min_n)
{
	struct verdict_options opt = usual;
	struct side a, b;
	struct comparison c;

	opt.min_n = min_n;
	side_fill(&a, x, nx, better);
	side_fill(&b, y, ny, better);
	c = (struct comparison){ .base = &a.cell, .new = &b.cell };
	verdict_family(&c, 1, &opt);
	return c.verdict;
}

static size_t take(const json_t *a, double *v)
{
	for (size_t i = 0; i < json_array_size(a); i++)
		v[i] = json_number_value(json_array_get(a, i));
	return json_array_size(a);
}

/* A verdict seen from the other side. */
static enum verdict mirror(enum verdict v)
{
	return v == VERDICT_REGRESSED ? VERDICT_IMPROVED : v == VERDICT_IMPROVED ? VERDICT_REGRESSED : v;
}

static void check_golden(const json_t *set)
{
	const char *want = js_get_str(json_object_get(set, "expected"), "verdict_delta5_m1", "");
	enum cell_better better = str_eq(js_get_str(set, "better", ""), "lower") ? CELL_LOWER : CELL_HIGHER;
	enum cell_better other = better == CELL_LOWER ? CELL_HIGHER : CELL_LOWER;
	double x[16] = { 0 }, y[16] = { 0 }, rx[16], ry[16];
	size_t nx = take(json_object_get(set, "x"), x), ny = take(json_object_get(set, "y"), y);
	enum verdict got = verdict_of(x, nx, y, ny, better, 2);

	if (!str_eq(verdict_name(got), want))
		fprintf(stderr, "%s: %s, expected %s\n", js_get_str(set, "id", ""), verdict_name(got), want);
	CU_ASSERT_STRING_EQUAL(verdict_name(got), want);
	if (got == VERDICT_NO_RATIO)
		return;
	for (size_t i = 0; i < nx; i++) {
		rx[i] = 1 / x[i];
		x[i] *= 1e6;
	}
	for (size_t i = 0; i < ny; i++) {
		ry[i] = 1 / y[i];
		y[i] *= 1e6;
	}
	CU_ASSERT_EQUAL(verdict_of(x, nx, y, ny, better, 2), got);
	CU_ASSERT_EQUAL(verdict_of(rx, nx, ry, ny, other, 2), got);
	if (got == VERDICT_REGRESSED) {
		CU_ASSERT_EQUAL(verdict_of(y, ny, x, nx, better, 2), mirror(got));
	}
	if (nx < 5 || ny < 5) {
		CU_ASSERT_EQUAL(verdict_of(x, nx, y, ny, better, 5), VERDICT_SUSPECT);
	}
}

static void test_golden(void)
{
	char path[4096];
	json_t *golden, *set;
	size_t i;

	snprintf(path, sizeof(path), "%s/tests/data/stats-golden.json", getenv("SRC"));
	golden = json_load_file(path, 0, NULL);
	CU_ASSERT_PTR_NOT_NULL_FATAL(golden);
	json_array_foreach(json_object_get(golden, "two_sample"), i, set)
	{
		check_golden(set);
	}
	json_decref(golden);
}

/* ---- families with a known truth ----------------------------------------------------------------- */

static double gauss(struct prng *p)
{
	double u = ((double)(prng_next(p) >> 11) + 0.5) / 9007199254740992.0;
	double w = (double)(prng_next(p) >> 11) / 9007199254740992.0;

	return sqrt(-2 * log(u)) * cos(2 * 3.14159265358979323846 * w);
}

struct family {
	struct side base[CELLS], new[CELLS];
	struct comparison v[CELLS];
};

/* Spread 2 %; cell 0 loses `loss`, or all do. */
static void family_draw(struct family *f, uint64_t seed, double loss, bool everywhere)
{
	struct prng p;

	prng_seed(&p, seed, 7);
	for (size_t i = 0; i < CELLS; i++) {
		double x[REPEATS], y[REPEATS];

		for (size_t k = 0; k < REPEATS; k++) {
			x[k] = 1000 * exp(0.02 * gauss(&p));
			y[k] = 1000 * (1 - (i == 0 || everywhere ? loss : 0)) * exp(0.02 * gauss(&p));
		}
		side_fill(&f->base[i], x, REPEATS, CELL_HIGHER);
		side_fill(&f->new[i], y, REPEATS, CELL_HIGHER);
		f->v[i] = (struct comparison){ .base = &f->base[i].cell, .new = &f->new[i].cell };
	}
	verdict_family(f->v, CELLS, &usual);
}

static size_t regressed(const struct family *f)
{
	size_t n = 0;

	for (size_t i = 0; i < CELLS; i++)
		n += f->v[i].verdict == VERDICT_REGRESSED;
	return n;
}

/* METHOD: false alarms at most 7 %, a 10 % loss found at least 90 %, a loss of the margin passed at most 5 %. */
static void test_operating(void)
{
	enum { SEEDS = 300 };
	struct family *f = xcalloc(1, sizeof(*f));
	size_t alarms = 0, found = 0, passed = 0;

	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		family_draw(f, seed, 0, false);
		alarms += regressed(f) > 0;
		family_draw(f, seed, 0.10, false);
		found += f->v[0].verdict == VERDICT_REGRESSED;
		family_draw(f, seed, 0.05, false);
		passed += f->v[0].verdict == VERDICT_SAME || f->v[0].verdict == VERDICT_NOT_WORSE;
	}
	CU_ASSERT(alarms <= SEEDS * 7 / 100);
	CU_ASSERT(found >= SEEDS * 90 / 100);
	CU_ASSERT(passed <= SEEDS * 5 / 100);
	free(f);
}

/* 3 % less in every cell: no cell shows it, all together do. */
static void test_suite(void)
{
	struct family *f = xcalloc(1, sizeof(*f));
	struct verdict_suite s;

	family_draw(f, 5, 0.03, true);
	verdict_suite(f->v, CELLS, &usual, &s);
	CU_ASSERT(regressed(f) == 0);
	CU_ASSERT(s.worse);
	CU_ASSERT(s.rank.p_two_sided < 0.01);
	family_draw(f, 5, 0, true);
	verdict_suite(f->v, CELLS, &usual, &s);
	CU_ASSERT(!s.worse);
	free(f);
}

/*
 * The machine was slower in some blocks, all cells alike, and more of these are on one side: that is seen in every
 * cell, and is chance all the same. The same loss with blocks that are alike is none.
 */
static void test_suite_blocks(void)
{
	static const double slow[2][REPEATS] = { { 0, .1, .02, .08, 0 }, { .1, 0, .1, .1, .06 } };
	struct family *f = xcalloc(1, sizeof(*f));
	static uint32_t block[2][REPEATS] = { { 1, 2, 3, 4, 5 }, { 1, 2, 3, 4, 5 } };
	struct verdict_suite s;

	for (int common = 1; common >= 0; common--) {
		family_draw(f, REPEATS, common ? 0 : 0.032, true);
		for (size_t i = 0; i < CELLS; i++) {
			struct cell *side[2] = { &f->base[i].cell, &f->new[i].cell };

			for (int b = 0; b < 2; b++) {
				side[b]->block = block[b];
				for (size_t r = 0; common && r < REPEATS; r++)
					side[b]->v[r] *= exp((side[b]->better == CELL_LOWER ? 1 : -1) * slow[b][r]);
			}
		}
		verdict_suite(f->v, CELLS, &usual, &s);
		CU_ASSERT(s.geo.t.lo > 0); /* over cells alone it is one */
		CU_ASSERT((s.blocks.lo > 0) == !common);
		CU_ASSERT(s.worse == !common);
	}
	free(f);
}

/* Rows in another order, and one that does not decide, change nothing. */
static void test_order(void)
{
	struct family *f = xcalloc(1, sizeof(*f));
	struct comparison swapped[CELLS];

	family_draw(f, 9, 0.10, false);
	for (size_t i = 0; i < CELLS; i++)
		swapped[i] = (struct comparison){ .base = f->v[CELLS - 1 - i].base, .new = f->v[CELLS - 1 - i].new };
	verdict_family(swapped, CELLS, &usual);
	for (size_t i = 0; i < CELLS; i++) {
		CU_ASSERT_EQUAL(swapped[i].verdict, f->v[CELLS - 1 - i].verdict);
		CU_ASSERT_DOUBLE_EQUAL(swapped[i].q, f->v[CELLS - 1 - i].q, 1e-12);
	}
	free(f);
}

/* ---- what must not matter ------------------------------------------------------------------------ */

/* Cells of all kinds: none, small and large changes, much and little noise, two modes, few values. */
static void family_mixed(struct family *f, uint64_t seed, bool balanced)
{
	static const double losses[] = { 0, 0.02, 0.05, 0.10, 0.30, -0.03, -0.10 };
	static const double noises[] = { 0.005, 0.02, 0.05, 0.2 };
	struct prng p;

	prng_seed(&p, seed, 11);
	for (size_t i = 0; i < CELLS; i++) {
		double x[16] = { 0 }, y[16] = { 0 }, loss = losses[prng_next(&p) % ARRAY_SIZE(losses)];
		double noise = noises[prng_next(&p) % (balanced ? 2 : ARRAY_SIZE(noises))];
		size_t nx = balanced ? REPEATS : 3 + prng_next(&p) % 6, ny = balanced ? REPEATS : 3 + prng_next(&p) % 6;
		enum cell_better better = prng_next(&p) % 2 ? CELL_HIGHER : CELL_LOWER;

		for (size_t k = 0; k < nx; k++)
			x[k] = 1000 * exp(noise * gauss(&p)) * (prng_next(&p) % 10 ? 1 : 0.9);
		for (size_t k = 0; k < ny; k++)
			y[k] = 1000 * (1 - loss) * exp(noise * gauss(&p));
		side_fill(&f->base[i], x, nx, better);
		side_fill(&f->new[i], y, ny, better);
		f->base[i].cell.primary = prng_next(&p) % 8 != 0;
		f->v[i] = (struct comparison){ .base = &f->base[i].cell, .new = &f->new[i].cell };
	}
}

static void same_numbers(const struct comparison *a, const struct comparison *b)
{
	CU_ASSERT_EQUAL(a->verdict, b->verdict);
	CU_ASSERT_DOUBLE_EQUAL(a->p, b->p, 1e-9);
	CU_ASSERT_DOUBLE_EQUAL(a->q, b->q, 1e-9);
	CU_ASSERT_DOUBLE_EQUAL(a->p_rank, b->p_rank, 1e-9);
	CU_ASSERT_DOUBLE_EQUAL(a->loss, b->loss, 1e-9);
	CU_ASSERT_STRING_EQUAL(a->method, b->method);
}

/* What a verdict may be from the other side: "not worse" has no word for "not better". */
static bool may_mirror(const struct comparison *a, const struct comparison *b)
{
	bool few = a->base->n < 5 || a->new->n < 5;

	switch (a->verdict) {
	case VERDICT_REGRESSED:
		return b->verdict == VERDICT_IMPROVED;
	case VERDICT_IMPROVED:
		return b->verdict == VERDICT_REGRESSED;
	case VERDICT_SAME:
		return b->verdict == VERDICT_SAME;
	case VERDICT_NOT_WORSE:
		return b->verdict == VERDICT_INCONCLUSIVE || b->verdict == VERDICT_SUSPECT;
	case VERDICT_SUSPECT:
		return b->verdict == (few ? VERDICT_INCONCLUSIVE : VERDICT_NOT_WORSE);
	default:
		return b->verdict == VERDICT_INCONCLUSIVE || b->verdict == (few ? VERDICT_SUSPECT : VERDICT_NOT_WORSE);
	}
}

static void check_swap(const struct family *f, const struct verdict_options *opt)
{
	struct comparison v[CELLS];

	for (size_t i = 0; i < CELLS; i++)
		v[i] = (struct comparison){ .base = f->v[i].new, .new = f->v[i].base };
	/* What decides is the base's to say. */
	for (size_t i = 0; i < CELLS; i++)
		((struct cell *)v[i].base)->primary = f->v[i].base->primary;
	verdict_family(v, CELLS, opt);
	for (size_t i = 0; i < CELLS; i++) {
		if (!may_mirror(&f->v[i], &v[i]))
			fprintf(stderr, "%s became %s\n", verdict_name(f->v[i].verdict), verdict_name(v[i].verdict));
		CU_ASSERT(may_mirror(&f->v[i], &v[i]));
		CU_ASSERT_DOUBLE_EQUAL(v[i].loss, -f->v[i].loss, 1e-9);
		CU_ASSERT_DOUBLE_EQUAL(v[i].p, f->v[i].p, 1e-9);
		CU_ASSERT_DOUBLE_EQUAL(v[i].q, f->v[i].q, 1e-9);
		CU_ASSERT_DOUBLE_EQUAL(v[i].p_rank, f->v[i].p_rank, 1e-9);
		CU_ASSERT_DOUBLE_EQUAL(log(v[i].ratio_lo), -log(f->v[i].ratio_hi), 1e-9);
	}
}

/* Every cell in a unit of its own; or times instead of rates; or the values in another order. */
static void check_changed(const struct family *f, const struct verdict_options *opt,
			  void (*change)(struct side *s, size_t cell))
{
	struct family *g = xmemdup(f, sizeof(*f));

	for (size_t i = 0; i < CELLS; i++) {
		g->base[i].cell.v = g->base[i].v;
		g->new[i].cell.v = g->new[i].v;
		g->base[i].cell.metric = g->base[i].metric;
		g->new[i].cell.metric = g->new[i].metric;
		change(&g->base[i], i);
		change(&g->new[i], i);
		g->v[i] = (struct comparison){ .base = &g->base[i].cell, .new = &g->new[i].cell };
	}
	verdict_family(g->v, CELLS, opt);
	for (size_t i = 0; i < CELLS; i++)
		same_numbers(&g->v[i], &f->v[i]);
	free(g);
}

static void scale(struct side *s, size_t cell)
{
	for (size_t k = 0; k < s->cell.n; k++)
		s->v[k] *= pow(10, (double)cell - 12) * 3;
}

static void invert(struct side *s, size_t cell)
{
	(void)cell;
	for (size_t k = 0; k < s->cell.n; k++)
		s->v[k] = 1 / s->v[k];
	s->cell.better = s->cell.better == CELL_LOWER ? CELL_HIGHER : CELL_LOWER;
}

static void reverse(struct side *s, size_t cell)
{
	(void)cell;
	for (size_t k = 0; k < s->cell.n / 2; k++) {
		double t = s->v[k];

		s->v[k] = s->v[s->cell.n - 1 - k];
		s->v[s->cell.n - 1 - k] = t;
	}
}

static void test_properties(void)
{
	static const struct verdict_options options[] = {
		{ .alpha = 0.05, .min_n = 5 },
		{ .alpha = 0.05, .delta = 0.03, .min_n = 3, .holm = true },
		{ .alpha = 0.05, .min_n = 5, .rank = true },
	};
	struct family *f = xcalloc(1, sizeof(*f));

	for (uint64_t seed = 1; seed <= 40; seed++)
		for (size_t o = 0; o < ARRAY_SIZE(options); o++) {
			family_mixed(f, seed, seed % 2);
			verdict_family(f->v, CELLS, &options[o]);
			if (options[o].min_n == 5)
				check_swap(f, &options[o]);
			check_changed(f, &options[o], scale);
			check_changed(f, &options[o], invert);
			check_changed(f, &options[o], reverse);
		}
	free(f);
}

/* Cells that do not decide are of no weight, whatever is in them. */
static void test_inert(void)
{
	struct family *f = xcalloc(1, sizeof(*f)), *g = xcalloc(1, sizeof(*g));
	struct comparison both[2 * CELLS];

	for (uint64_t seed = 1; seed <= 20; seed++) {
		family_draw(f, seed, 0.07, false);
		family_mixed(g, seed, false);
		for (size_t i = 0; i < CELLS; i++) {
			g->base[i].cell.primary = false;
			both[i] = (struct comparison){ .base = f->v[i].base, .new = f->v[i].new };
			both[CELLS + i] = (struct comparison){ .base = &g->base[i].cell, .new = &g->new[i].cell };
		}
		verdict_family(both, 2 * CELLS, &usual);
		for (size_t i = 0; i < CELLS; i++)
			same_numbers(&both[i], &f->v[i]);
	}
	free(f);
	free(g);
}

/* The shift of two samples is the median of all differences, however it is found. */
static void test_shift(void)
{
	struct prng p;
	double x[60], y[60], d[3600];

	prng_seed(&p, 5, 5);
	for (unsigned round = 0; round < 20; round++) {
		size_t nx = 23 + prng_next(&p) % 37, ny = 23 + prng_next(&p) % 37, n = 0;

		for (size_t i = 0; i < nx; i++)
			x[i] = round % 3 ? gauss(&p) : (double)(prng_next(&p) % 5);
		for (size_t i = 0; i < ny; i++)
			y[i] = round % 3 ? gauss(&p) - 0.1 : (double)(prng_next(&p) % 5);
		for (size_t i = 0; i < nx; i++)
			for (size_t k = 0; k < ny; k++)
				d[n++] = y[k] - x[i];
		CU_ASSERT_EQUAL(rank_shift(x, nx, y, ny), basic_median(d, n));
	}
}

static void test_margins(void)
{
	CU_ASSERT_EQUAL(verdict_margin("throughput"), 0.05);
	CU_ASSERT_EQUAL(verdict_margin("write_p99"), 0.10);
	CU_ASSERT_EQUAL(verdict_margin("write_p999"), 0.20);
	CU_ASSERT(isnan(verdict_margin("write_max")));
}

void test_analyse_verdict(void)
{
	CU_pSuite s = CU_add_suite("analyse/verdict", NULL, NULL);

	CU_ADD_TEST(s, test_golden);
	CU_ADD_TEST(s, test_operating);
	CU_ADD_TEST(s, test_suite);
	CU_ADD_TEST(s, test_suite_blocks);
	CU_ADD_TEST(s, test_order);
	CU_ADD_TEST(s, test_properties);
	CU_ADD_TEST(s, test_inert);
	CU_ADD_TEST(s, test_shift);
	CU_ADD_TEST(s, test_margins);
}
