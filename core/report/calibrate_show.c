/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How noisy, where from, and how many repeats that asks for. */
#include <math.h>
#include <stdlib.h>

#include "core/analyse/verdict.h"
#include "core/report/calibrate_show.h"
#include "core/report/quote.h"
#include "core/report/table.h"
#include "core/util/json.h"
#include "core/util/strbuf.h"
#include "core/util/units.h"
#include "core/util/xalloc.h"

static const struct table_column columns[] = {
	{ "variant", TABLE_CUT },   { "n", TABLE_RIGHT },	 { "median", TABLE_RIGHT },
	{ "spread", TABLE_RIGHT },  { "sees a loss of", TABLE_RIGHT }, { "repeats for the margin", TABLE_RIGHT },
};

enum { N_COLUMNS = ARRAY_SIZE(columns) };

static const char *percent(double v, char *buf, size_t size)
{
	snprintf(buf, size, isnan(v) ? "-" : "%.1f %%", 100 * v);
	return buf;
}

static const char *count(double v, char *buf, size_t size)
{
	snprintf(buf, size, isnan(v) ? "-" : "%.0f", v);
	return buf;
}

static void put_components(const struct calibrate *c, FILE *out)
{
	char within[32], block[32], session[32];

	quote_lines(out, 2,
		    "Noise: one value differs by %s%s%s%s%s%s.", percent(c->within, within, sizeof(within)),
		    isnan(c->block) ? "" : "; of that, what all variants of a block have in common is ",
		    isnan(c->block) ? "" : percent(c->block, block, sizeof(block)),
		    isnan(c->session) ? "" : "; sessions differ by ",
		    isnan(c->session) ? "" : percent(c->session, session, sizeof(session)),
		    isnan(c->session) ? "; how much sessions differ, one session cannot tell" : "");
}

/* Repeats that a margin needs, and the time they take. */
static void put_needed(const struct calibrate *c, FILE *out)
{
	char sees[32], margin[32], time[48];
	double ns = c->needed * c->trial_ns * (double)c->n_cells;

	if (isnan(c->needed)) {
		quote_lines(out, 2, "Nothing varies: any change is one.");
		return;
	}
	quote_lines(out, 2,
		    "%zu repeats a side find a loss of %s 8 times in 10. For the margin of %s it takes %.0f: "
		    "about %s a side for all variants.",
		    c->n, percent(c->detectable, sees, sizeof(sees)), percent(c->margin, margin, sizeof(margin)),
		    c->needed, units_format_metric(ns, "ns", time, sizeof(time)));
	if (c->needed < VERDICT_MIN_N)
		quote_lines(out, 2, "(A verdict of `fstrial compare` needs %d in any case.)", VERDICT_MIN_N);
}

static void put_plans(const struct calibrate *c, FILE *out)
{
	_cleanup_strbuf_ struct strbuf sb = STRBUF_INIT;

	if (isnan(c->session))
		return;
	strbuf_addstr(&sb, "Between boots or sessions, the margin takes:");
	for (size_t i = 0; i < CALIBRATE_PLANS; i++) {
		strbuf_addf(&sb, "%s %zu sessions a side ", i ? ";" : "", c->plans[i].sessions);
		if (c->plans[i].repeats)
			strbuf_addf(&sb, "of %zu repeat%s", c->plans[i].repeats, c->plans[i].repeats == 1 ? "" : "s");
		else
			strbuf_addstr(&sb, "are not enough, whatever the repeats");
	}
	strbuf_addstr(&sb, ".");
	quote_lines(out, 2, "%s", strbuf_str(&sb));
}

static void put_split(const struct calibrate *c, FILE *out)
{
	if (isnan(c->split))
		return;
	quote_lines(out, 2,
		    "Odd blocks against even ones, which are alike: the largest difference is %+.1f %%%s%s; %zu of %zu "
		    "variants would be called changed.",
		    100 * c->split, *c->split_variant ? ", in " : "", c->split_variant, c->split_changed,
		    c->n_cells);
}

static void put_cells(const struct calibrate *c, FILE *out)
{
	_cleanup_strbuf_ struct strbuf sb = STRBUF_INIT;
	struct table t;

	table_init(&t, columns, N_COLUMNS);
	for (size_t i = 0; i < c->n_cells; i++) {
		const struct calibrate_cell *v = &c->v[i];
		char n[32], median[48], spread[32], sees[32], needed[32];
		const char *cells[N_COLUMNS] = { v->variant, n, median, spread, sees, needed };

		snprintf(n, sizeof(n), "%zu", v->n);
		units_format_metric(v->median, c->unit, median, sizeof(median));
		percent(v->spread, spread, sizeof(spread));
		percent(v->detectable, sees, sizeof(sees));
		count(v->needed, needed, sizeof(needed));
		table_row(&t, cells);
	}
	table_format(&t, REPORT_WIDTH, &sb);
	fputs(strbuf_str(&sb), out);
	table_free(&t);
}

void calibrate_print(const struct calibrate *c, size_t n, FILE *out)
{
	for (size_t i = 0; i < n; i++) {
		if (i)
			fputc('\n', out);
		quote_lines(out, 2, "%s.%s, %zu variants, %zu session%s", c[i].step, c[i].metric, c[i].n_cells, c[i].sessions,
			    c[i].sessions == 1 ? "" : "s");
		if (c[i].why) {
			fprintf(out, "  %s\n", c[i].why);
			continue;
		}
		put_components(&c[i], out);
		put_needed(&c[i], out);
		put_plans(&c[i], out);
		put_split(&c[i], out);
		put_cells(&c[i], out);
	}
	if (!n)
		fputs("no workload has numbers\n", out);
}

static json_t *cells_json(const struct calibrate *c)
{
	json_t *list = js_array();

	for (size_t i = 0; i < c->n_cells; i++) {
		json_t *o = js_object();

		js_set(o, "variant", js_str(c->v[i].variant));
		js_set(o, "n", js_u64(c->v[i].n));
		js_set(o, "median", js_real(c->v[i].median));
		js_set(o, "spread", js_real(c->v[i].spread));
		js_set(o, "detectable", js_real(c->v[i].detectable));
		js_set(o, "needed", js_real(c->v[i].needed));
		js_push(list, o);
	}
	return list;
}

static json_t *plans_json(const struct calibrate *c)
{
	json_t *list = js_array();

	for (size_t i = 0; i < CALIBRATE_PLANS && c->plans[i].sessions; i++) {
		json_t *o = js_object();

		js_set(o, "sessions", js_u64(c->plans[i].sessions));
		js_set(o, "repeats", c->plans[i].repeats ? js_u64(c->plans[i].repeats) : json_null());
		js_push(list, o);
	}
	return list;
}

static json_t *noise_json(const struct calibrate *c)
{
	json_t *o = js_object();

	js_set(o, "within", js_real(c->within));
	js_set(o, "block", js_real(c->block));
	js_set(o, "session", js_real(c->session));
	return o;
}

json_t *calibrate_json(const struct calibrate *c, size_t n)
{
	json_t *doc = js_object(), *list = js_array();

	for (size_t i = 0; i < n; i++) {
		json_t *o = js_object();

		js_set(o, "step", js_str(c[i].step));
		js_set(o, "metric", js_str(c[i].metric));
		js_set(o, "unit", js_str(c[i].unit));
		js_set(o, "sessions", js_u64(c[i].sessions));
		js_set(o, "blocks", js_u64(c[i].blocks));
		js_set(o, "why", js_str(c[i].why));
		js_set(o, "margin", js_real(c[i].margin));
		js_set(o, "n", js_u64(c[i].n_cells ? c[i].n : 0));
		js_set(o, "noise", noise_json(&c[i]));
		js_set(o, "detectable", js_real(c[i].detectable));
		js_set(o, "needed", js_real(c[i].needed));
		js_set(o, "plans", plans_json(&c[i]));
		js_set(o, "split_largest", js_real(c[i].split));
		js_set(o, "split_changed", js_u64(c[i].split_changed));
		js_set(o, "trial_ns", js_real(c[i].trial_ns));
		js_set(o, "cells", cells_json(&c[i]));
		js_push(list, o);
	}
	js_set(doc, "format", js_str("fstrial-calibrate/1"));
	js_set(doc, "metrics", list);
	return doc;
}
