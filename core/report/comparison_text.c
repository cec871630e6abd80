/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A comparison for people: the conditions, the table, what it means. */
#include "core/report/comparison_text.h"

#include <math.h>
#include <stdlib.h>

#include "core/analyse/basic.h"
#include "core/report/quote.h"
#include "core/report/scale.h"
#include "core/report/table.h"
#include "core/util/strbuf.h"
#include "core/util/xalloc.h"

static const struct table_column columns[] = {
	{ "verdict", 0 },	   { "metric", TABLE_CUT },   { "variant", TABLE_CUT }, { "base", TABLE_RIGHT },
	{ "new", TABLE_RIGHT },	   { "", 0 },		      { "change", TABLE_RIGHT }, { "95 % interval", TABLE_RIGHT },
	{ "q", TABLE_RIGHT },	   { "rank p", TABLE_RIGHT }, { "n", TABLE_RIGHT },
};

struct row {
	char cell[ARRAY_SIZE(columns)][128];
};

/* ---- conditions ---- */

static void put_differences(const struct differences *d, bool confounding, const char *title, FILE *out)
{
	bool any = false;

	for (size_t i = 0; i < d->n; i++) {
		if (d->v[i].confounding != confounding)
			continue;
		if (!any)
			fprintf(out, "%s\n", title);
		any = true;
		quote_lines(out, 6, "  %s: %s -> %s", d->v[i].what, d->v[i].base, d->v[i].new);
	}
	if (any)
		fputc('\n', out);
}

static void put_mixed(const struct set *s, FILE *out)
{
	if (!s->mixed_with)
		return;
	quote_lines(out, 2, "The results of %s are not of one kind. %s to %s:", s->name, s->docs[0].path, s->mixed_with);
	put_differences(&s->mixed, true, "  what should be the same:", out);
	put_differences(&s->mixed, false, "  and:", out);
}

/* A canary that moved says where to look, whatever the verdicts say. */
static void put_canaries(const struct report *r, FILE *out)
{
	for (int i = 0; i < N_CANARIES; i++) {
		const struct canary_shift *c = &r->canary[i];

		if (!c->moved)
			continue;
		quote_lines(out, 2, "canary %s: %+.1f %% (%+.1f..%+.1f %%), %s: %s.", canary_names[i], 100 * (c->ratio - 1),
			    100 * (c->lo - 1), 100 * (c->hi - 1), c->worse ? "worse" : "better", guards_canary_says(c));
	}
}

void report_put_conditions(const struct report *r, FILE *out)
{
	put_mixed(r->base, out);
	put_mixed(r->new, out);
	put_differences(&r->differences, true,
			r->opt.forced ? "CONFOUNDED: these differ too, and may be the reason of whatever follows:" :
					"These differ too, so that no verdict can be given (--force gives one):",
			out);
	put_differences(&r->differences, false, "What changed:", out);
	put_canaries(r, out);
	if (r->canary[CANARY_COMPUTE].moved && !r->opt.forced)
		fputs("No verdict (--force gives one).\n", out);
}

/* ---- the table ---- */

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
	double base = basic_median(c->base->v, c->base->n), new = basic_median(c->new->v, c->new->n);

	scale_for(isnan(new) ? fabs(base) : fmax(fabs(base), fabs(new)), c->base->unit, &scale);
	snprintf(row->cell[0], sizeof(row->cell[0]), "%s%s", verdict_name(c->verdict),
		 c->accepted ? " (accepted)" :
		 c->gated    ? "" :
			       " (info)");
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

static void put_rows(const struct report *r, bool all, bool markdown, FILE *out)
{
	_cleanup_strbuf_ struct strbuf sb = STRBUF_INIT;
	struct table t;

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
	if (markdown)
		table_markdown(&t, &sb);
	else
		table_format(&t, REPORT_WIDTH + 20, &sb);
	fputs(strbuf_str(&sb), out);
	table_free(&t);
}

/* ---- what it means ---- */

/* What each unsettled cell would need, why a verdict is less than the numbers look, and what failed. */
static void put_notes(const struct report *r, FILE *out)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct comparison *c = &r->v[i];
		_cleanup_strbuf_ struct strbuf sb = STRBUF_INIT;

		if (!c->gated)
			continue;
		if (c->accepted)
			strbuf_addf(&sb, "accepted: %s", c->accepted);
		else if (c->why)
			strbuf_addstr(&sb, c->why);
		if (!isnan(c->needed) && !c->hold)
			strbuf_addf(&sb, "%sabout %.0f %s a side would settle it", sb.len ? "; " : "", c->needed,
				    r->by_boot ? "boots" : "repeats");
		if (c->base->failed != c->new->failed)
			strbuf_addf(&sb, "%sdid not end well in %zu trials of the base, in %zu of the new result",
				    sb.len ? "; " : "", c->base->failed, c->new->failed);
		if (sb.len)
			quote_lines(out, 6, "  %s.%s%s%s: %s", c->base->step, c->base->metric, *c->base->variant ? " " : "",
				    c->base->variant, strbuf_str(&sb));
	}
}

static void put_suite(const struct report *r, FILE *out)
{
	const struct ttest *t = &r->suite.geo.t;
	const char *what = "";

	if (r->suite.worse)
		what = ", worse: a loss that no single cell need show";
	else if (t->lo > 0 && r->suite.blocks.lo <= 0)
		what = ", no more than blocks of the same side differ";
	if (r->suite.geo.n > 1 && !isnan(t->t))
		fprintf(out, "all cells together: %+.1f %% (%+.1f..%+.1f %%)%s\n", 100 * (exp(-t->diff) - 1),
			100 * (exp(-t->hi) - 1), 100 * (exp(-t->lo) - 1), what);
}

static void put_boots(const struct report *r, FILE *out)
{
	if (r->by_boot)
		quote_lines(out, 2, "The boots are what is compared: %zu of the base, %zu of the new result; n counts them.",
			    r->base->n_boots, r->new->n_boots);
	else if (report_boot_confounded(r))
		quote_lines(out, 2,
			    "confounded with the boot: %zu of the base, %zu of the new result. What differs between two "
			    "boots of the same kernel is in the change too; with %d boots a side these are compared.",
			    r->base->n_boots, r->new->n_boots, REPORT_BOOTS);
}

void report_put_unused(const struct accepts *a, FILE *out)
{
	for (size_t i = 0; a && i < a->n; i++) {
		_cleanup_free_ char *unused = accept_unused(a, &a->v[i]);

		if (unused)
			quote_lines(out, 2, "accepted in vain: %s", unused);
	}
}

static void put_summary(const struct report *r, FILE *out)
{
	_cleanup_free_ char *detectable = report_detectable(r);
	size_t accepted = report_count_accepted(r);

	fprintf(out, "%zu regressed, ", report_count(r, VERDICT_REGRESSED));
	if (accepted)
		fprintf(out, "%zu accepted, ", accepted);
	fprintf(out, "%zu suspect, %zu inconclusive, %zu same, %zu not worse, %zu improved\n",
		report_count(r, VERDICT_SUSPECT),
		report_count(r, VERDICT_INCONCLUSIVE) + report_count(r, VERDICT_NO_RATIO), report_count(r, VERDICT_SAME),
		report_count(r, VERDICT_NOT_WORSE), report_count(r, VERDICT_IMPROVED));
	put_suite(r, out);
	for (size_t i = 0; i < r->where.n; i++)
		quote_lines(out, 2, "%s", r->where.lines[i]);
	if (r->n && r->v[0].noisier)
		fprintf(out, "the spread of the repeats is not the same on both sides: look at it before anything else\n");
	if (r->only_base || r->only_new)
		fprintf(out, "not compared: %zu cells only in the base, %zu only in the new result\n", r->only_base,
			r->only_new);
	quote_lines(out, 0, "%s", detectable);
	put_boots(r, out);
	put_notes(r, out);
	report_put_unused(r->opt.accepts, out);
}

/* ---- all of it ---- */

void report_text(const struct report *r, bool all, FILE *out)
{
	report_put_conditions(r, out);
	if (report_refused(r))
		return;
	put_rows(r, all, false, out);
	fputc('\n', out);
	put_summary(r, out);
}

void report_markdown(const struct report *r, bool all, FILE *out)
{
	struct fenced f;

	report_put_conditions(r, fenced_begin(&f));
	fenced_end(&f, out);
	if (report_refused(r))
		return;
	put_rows(r, all, true, out);
	fputc('\n', out);
	put_summary(r, fenced_begin(&f));
	fenced_end(&f, out);
}
