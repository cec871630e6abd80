/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Comparing two results, and the table that says what came out. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/analyse/basic.h"
#include "core/report/comparison.h"
#include "core/report/scale.h"
#include "core/report/table.h"
#include "core/util/text.h"
#include "core/util/exit.h"
#include "core/util/strbuf.h"
#include "core/util/xalloc.h"

enum { REPORT_WIDTH = 100 };

const char *const report_format_names[] = { "text", "markdown", "csv", "json", "junit", NULL };

/* What decides comes first, then the worse verdict, then the larger loss. */
static int worse_first(const void *a, const void *b)
{
	const struct comparison *x = a, *y = b;
	double dx = isnan(x->loss) ? 0 : x->loss, dy = isnan(y->loss) ? 0 : y->loss;

	if (x->gated != y->gated)
		return x->gated ? -1 : 1;
	if (x->verdict != y->verdict)
		return (int)x->verdict - (int)y->verdict;
	return dx > dy ? -1 : dx < dy;
}

void report_compare(struct report *r, const json_t *base, const json_t *new, const struct verdict_options *opt)
{
	r->opt = *opt;
	cells_collect(base, &r->base);
	cells_collect(new, &r->new);
	comparable_find(base, new, &r->differences);
	r->v = xcalloc(MAX(r->base.n, (size_t)1), sizeof(*r->v));
	for (size_t i = 0; i < r->base.n; i++) {
		const struct cell *other = cells_find(&r->new, r->base.v[i].key);

		if (other)
			r->v[r->n++] = (struct comparison){ .base = &r->base.v[i], .new = other };
	}
	r->only_base = r->base.n - r->n;
	r->only_new = r->new.n - r->n;
	verdict_family(r->v, r->n, opt);
	verdict_suite(r->v, r->n, opt, &r->suite);
	if (r->n)
		qsort(r->v, r->n, sizeof(*r->v), worse_first);
}

void report_release(struct report *r)
{
	free(r->v);
	cells_release(&r->base);
	cells_release(&r->new);
	comparable_release(&r->differences);
}

static size_t count(const struct report *r, enum verdict verdict)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++)
		n += r->v[i].gated && r->v[i].verdict == verdict;
	return n;
}

int report_exit(const struct report *r, bool allow_inconclusive)
{
	size_t unsettled = count(r, VERDICT_INCONCLUSIVE) + count(r, VERDICT_SUSPECT) + count(r, VERDICT_NO_RATIO);

	if ((r->differences.confounding && !r->forced) || !r->n)
		return EXIT_NOT_COMPARABLE;
	if (count(r, VERDICT_REGRESSED) || r->suite.worse)
		return EXIT_FAILED;
	return unsettled && !allow_inconclusive ? EXIT_INCONCLUSIVE : EXIT_GOOD;
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

/* ---- text and Markdown ------------------------------------------------------------------------ */

static const struct table_column columns[] = {
	{ "verdict", 0 },	   { "metric", TABLE_CUT },   { "variant", TABLE_CUT }, { "base", TABLE_RIGHT },
	{ "new", TABLE_RIGHT },	   { "", 0 },		      { "change", TABLE_RIGHT }, { "95 % interval", TABLE_RIGHT },
	{ "q", TABLE_RIGHT },	   { "rank p", TABLE_RIGHT }, { "n", TABLE_RIGHT },
};

struct row {
	char cell[ARRAY_SIZE(columns)][128];
};

static double median_of(const struct cell *c)
{
	return basic_median(c->v, c->n);
}

static void format_p(double p, char *buf, size_t size)
{
	if (isnan(p))
		snprintf(buf, size, "-");
	else
		snprintf(buf, size, p < 0.0001 ? "<.0001" : "%.4f", p);
}

static void row_fill(const struct comparison *c, struct row *row)
{
	struct scale scale;
	double base = median_of(c->base), new = median_of(c->new);

	scale_for(fmax(fabs(base), fabs(new)), c->base->unit, &scale);
	snprintf(row->cell[0], sizeof(row->cell[0]), "%s%s", verdict_name(c->verdict), c->gated ? "" : " (info)");
	snprintf(row->cell[1], sizeof(row->cell[1]), "%.60s.%.60s", c->base->step, c->base->metric);
	snprintf(row->cell[2], sizeof(row->cell[2]), "%.120s", c->base->variant);
	scale_format(base, &scale, row->cell[3], sizeof(row->cell[3]));
	scale_format(new, &scale, row->cell[4], sizeof(row->cell[4]));
	snprintf(row->cell[5], sizeof(row->cell[5]), "%s", scale.unit);
	if (!isnan(c->ratio))
		snprintf(row->cell[6], sizeof(row->cell[6]), "%+.1f %%", 100 * (c->ratio - 1));
	if (!isnan(c->ratio_lo))
		snprintf(row->cell[7], sizeof(row->cell[7]), "%+.1f..%+.1f %%", 100 * (c->ratio_lo - 1),
			 100 * (c->ratio_hi - 1));
	format_p(c->q, row->cell[8], sizeof(row->cell[8]));
	format_p(c->p_rank, row->cell[9], sizeof(row->cell[9]));
	if (c->base->n == c->new->n)
		snprintf(row->cell[10], sizeof(row->cell[10]), "%zu", c->base->n);
	else
		snprintf(row->cell[10], sizeof(row->cell[10]), "%zu/%zu", c->base->n, c->new->n);
}

static void put_differences(const struct report *r, bool confounding, const char *title, FILE *out)
{
	bool any = false;

	for (size_t i = 0; i < r->differences.n; i++) {
		const struct difference *d = &r->differences.v[i];
		struct strbuf sb = STRBUF_INIT;
		_cleanup_free_ char *line = NULL;

		if (d->confounding != confounding)
			continue;
		if (!any)
			fprintf(out, "%s\n", title);
		any = true;
		line = xasprintf("  %s: %s -> %s", d->what, d->base, d->new);
		text_wrap(&sb, line, 0, 6, REPORT_WIDTH);
		fputs(strbuf_str(&sb), out);
		strbuf_free(&sb);
	}
	if (any)
		fputc('\n', out);
}

static void put_rows(const struct report *r, bool all, FILE *out)
{
	struct table t;
	struct strbuf sb = STRBUF_INIT;

	table_init(&t, columns, ARRAY_SIZE(columns));
	for (size_t i = 0; i < r->n; i++) {
		const char *cells[ARRAY_SIZE(columns)];
		struct row row = { 0 };

		if (!all && !r->v[i].gated)
			continue;
		row_fill(&r->v[i], &row);
		for (size_t k = 0; k < ARRAY_SIZE(columns); k++)
			cells[k] = row.cell[k];
		table_row(&t, cells);
	}
	table_format(&t, REPORT_WIDTH + 20, &sb);
	fputs(strbuf_str(&sb), out);
	strbuf_free(&sb);
	table_free(&t);
}

static void put_markdown(const struct report *r, bool all, FILE *out)
{
	for (size_t k = 0; k < ARRAY_SIZE(columns); k++)
		fprintf(out, "| %s ", columns[k].title);
	fputs("|\n", out);
	for (size_t k = 0; k < ARRAY_SIZE(columns); k++)
		fputs(columns[k].flags & TABLE_RIGHT ? "| ---: " : "| --- ", out);
	fputs("|\n", out);
	for (size_t i = 0; i < r->n; i++) {
		struct row row = { 0 };

		if (!all && !r->v[i].gated)
			continue;
		row_fill(&r->v[i], &row);
		for (size_t k = 0; k < ARRAY_SIZE(columns); k++) {
			_cleanup_free_ char *clean = text_clean(row.cell[k]);

			fputs("| ", out);
			for (const char *p = clean; *p; p++)
				fprintf(out, *p == '|' ? "\\%c" : "%c", *p);
			fputc(' ', out);
		}
		fputs("|\n", out);
	}
}

/* What each unsettled cell would need, and why a verdict is less than the numbers look. */
static void put_notes(const struct report *r, FILE *out)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct comparison *c = &r->v[i];

		if (!c->gated || (!c->why && isnan(c->needed)))
			continue;
		fprintf(out, "  %s.%s %s:", c->base->step, c->base->metric, c->base->variant);
		if (c->why)
			fprintf(out, " %s", c->why);
		if (!isnan(c->needed))
			fprintf(out, "%s about %.0f repeats a side would settle it", c->why ? ";" : "", c->needed);
		fputc('\n', out);
	}
}

static void put_summary(const struct report *r, FILE *out)
{
	_cleanup_free_ char *detectable = report_detectable(r);
	const struct ttest *t = &r->suite.geo.t;

	fprintf(out, "\n%zu regressed, %zu suspect, %zu inconclusive, %zu same, %zu not worse, %zu improved\n",
		count(r, VERDICT_REGRESSED), count(r, VERDICT_SUSPECT),
		count(r, VERDICT_INCONCLUSIVE) + count(r, VERDICT_NO_RATIO), count(r, VERDICT_SAME),
		count(r, VERDICT_NOT_WORSE), count(r, VERDICT_IMPROVED));
	if (r->suite.geo.n > 1 && !isnan(t->t))
		fprintf(out, "all cells together: %+.1f %% (%+.1f..%+.1f %%)%s\n", 100 * (exp(-t->diff) - 1),
			100 * (exp(-t->hi) - 1), 100 * (exp(-t->lo) - 1),
			r->suite.worse ? ", worse: a loss that no single cell need show" : "");
	if (r->n && r->v[0].noisier)
		fprintf(out, "the spread of the repeats is not the same on both sides: look at it before anything else\n");
	if (r->only_base || r->only_new)
		fprintf(out, "not compared: %zu cells only in the base, %zu only in the new result\n", r->only_base,
			r->only_new);
	fprintf(out, "%s\n", detectable);
	put_notes(r, out);
}

void report_print(const struct report *r, enum report_format format, bool all, FILE *out)
{
	if (format == REPORT_CSV) {
		report_csv(r, out);
	} else if (format == REPORT_JUNIT) {
		report_junit(r, out);
	} else if (format == REPORT_JSON) {
		json_t *doc = report_json(r);

		json_dumpf(doc, out, JSON_INDENT(1));
		fputc('\n', out);
		json_decref(doc);
	} else {
		put_differences(r, true,
				r->forced ? "CONFOUNDED: these differ too, and may be the reason of whatever follows:" :
					    "These differ too, so that no verdict can be given (--force gives one):",
				out);
		put_differences(r, false, "What changed:", out);
		if (r->differences.confounding && !r->forced)
			return;
		if (format == REPORT_TEXT)
			put_rows(r, all, out);
		else
			put_markdown(r, all, out);
		put_summary(r, out);
	}
}
