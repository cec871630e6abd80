/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which factor mattered, in words and numbers. */
#include <math.h>
#include <stdlib.h>

#include "core/report/effects_show.h"
#include "core/report/quote.h"
#include "core/report/table.h"
#include "core/util/json.h"
#include "core/util/strbuf.h"
#include "core/util/xalloc.h"

static const struct table_column columns[] = {
	{ "", 0 },		   { "factor", TABLE_CUT },	    { "level", TABLE_CUT }, { "to the mean", TABLE_RIGHT },
	{ "95 % interval", TABLE_RIGHT }, { "largest/smallest", TABLE_RIGHT }, { "p (Holm)", TABLE_RIGHT }, { "n", TABLE_RIGHT },
};

enum { N_COLUMNS = ARRAY_SIZE(columns) };

static void p_text(double p, char *buf, size_t size)
{
	snprintf(buf, size, isnan(p) ? "-" : p < 0.0001 ? "<.0001" : "%.4f", p);
}

static void put_level(struct table *t, const struct effect *e, size_t k)
{
	char ratio[32], interval[64], range[32] = "", p[32] = "", n[32];
	const struct effect_level *l = &e->levels[k];
	const char *cells[N_COLUMNS] = { k ? "" : e->active ? "*" : "", k ? "" : e->name, l->name, ratio, interval, range, p, n };

	snprintf(ratio, sizeof(ratio), "%+.1f %%", 100 * (l->ratio - 1));
	snprintf(interval, sizeof(interval), "%+.1f..%+.1f %%", 100 * (l->lo - 1), 100 * (l->hi - 1));
	snprintf(n, sizeof(n), "%zu", l->n);
	if (!k) {
		snprintf(range, sizeof(range), "%.3f", e->range);
		p_text(e->p_holm, p, sizeof(p));
	}
	table_row(t, cells);
}

/* Of a pair that matters, the combinations that stand out of what their levels do alone. */
static void put_cells(struct table *t, const struct effect *e)
{
	for (size_t i = 0; i < e->n_cells; i++) {
		const struct effect_level *c = &e->cells[i];
		char ratio[32], interval[64], n[32];
		const char *cells[N_COLUMNS] = { "", "", c->name, ratio, interval, "", "", n };

		if (c->lo <= 1 && c->hi >= 1)
			continue;
		snprintf(ratio, sizeof(ratio), "%+.1f %%", 100 * (c->ratio - 1));
		snprintf(interval, sizeof(interval), "%+.1f..%+.1f %%", 100 * (c->lo - 1), 100 * (c->hi - 1));
		snprintf(n, sizeof(n), "%zu", c->n);
		table_row(t, cells);
	}
}

static void put_pair(struct table *t, const struct effect *e)
{
	char p[32];
	const char *cells[N_COLUMNS] = { e->active ? "*" : "", e->name, "", "", "", "", p, "" };

	p_text(e->p_holm, p, sizeof(p));
	table_row(t, cells);
	if (e->active)
		put_cells(t, e);
}

/* The answer before the numbers. */
static void put_answer(const struct effects *e, FILE *out)
{
	size_t active = 0;

	for (size_t i = 0; i < e->n_effects; i++)
		active += e->v[i].active;
	quote_lines(out, 2, "%s.%s, %zu values, one value's spread %.1f %%%s", e->step, e->metric, e->n, 100 * e->sigma,
		    e->pairs ? "" : "; single factors only: too few repeats for pairs of them");
	if (!active)
		quote_lines(out, 2,
			    "No factor had an effect that stands out of the noise; one of %.1f %% between two levels would "
			    "have been found 8 times in 10.",
			    100 * (e->detectable - 1));
}

static void put_odd(const struct effects *e, FILE *out)
{
	for (size_t i = 0; i < e->n_odd; i++)
		quote_lines(out, 2,
			    "suspect: %s alone is %+.1f %% off what its factors explain. It is left out above; measure it "
			    "again before you believe it.",
			    e->odd[i].variant, 100 * (e->odd[i].ratio - 1));
}

void effects_print(const struct effects *e, size_t n, FILE *out)
{
	for (size_t i = 0; i < n; i++) {
		struct table t;
		struct strbuf sb = STRBUF_INIT;

		if (i)
			fputc('\n', out);
		if (e[i].why) {
			quote_lines(out, 2, "%s.%s: %s", e[i].step, e[i].metric, e[i].why);
			continue;
		}
		put_answer(&e[i], out);
		table_init(&t, columns, N_COLUMNS);
		for (size_t k = 0; k < e[i].n_effects; k++) {
			const struct effect *f = &e[i].v[k];

			if (f->pair)
				put_pair(&t, f);
			for (size_t l = 0; l < f->n_levels; l++)
				put_level(&t, f, l);
		}
		table_format(&t, REPORT_WIDTH + 20, &sb);
		fputs(strbuf_str(&sb), out);
		strbuf_free(&sb);
		table_free(&t);
		put_odd(&e[i], out);
	}
	if (!n)
		fputs("no workload has numbers\n", out);
}

static json_t *levels_json(const struct effect_level *v, size_t n, const char *called)
{
	json_t *list = js_array();

	for (size_t k = 0; k < n; k++) {
		json_t *l = js_object();

		js_set(l, called, js_str(v[k].name));
		js_set(l, "ratio", js_real(v[k].ratio));
		js_set(l, "lo", js_real(v[k].lo));
		js_set(l, "hi", js_real(v[k].hi));
		js_set(l, "n", js_u64(v[k].n));
		js_push(list, l);
	}
	return list;
}

static json_t *effect_json(const struct effect *e)
{
	json_t *o = js_object();

	js_set(o, "name", js_str(e->name));
	js_set(o, "pair", js_bool(e->pair));
	js_set(o, "active", js_bool(e->active));
	js_set(o, "f", js_real(e->f));
	js_set(o, "p", js_real(e->p));
	js_set(o, "p_holm", js_real(e->p_holm));
	js_set(o, "omega2", js_real(e->omega2));
	js_set(o, "range", js_real(e->range));
	js_set(o, "levels", levels_json(e->levels, e->n_levels, "level"));
	/* Of a pair: beyond what the two levels do alone. */
	js_set(o, "cells", levels_json(e->cells, e->n_cells, "cell"));
	return o;
}

json_t *effects_json(const struct effects *e, size_t n)
{
	json_t *doc = js_object(), *list = js_array();

	for (size_t i = 0; i < n; i++) {
		json_t *o = js_object(), *v = js_array(), *odd = js_array();

		for (size_t k = 0; k < e[i].n_effects; k++)
			js_push(v, effect_json(&e[i].v[k]));
		for (size_t k = 0; k < e[i].n_odd; k++) {
			json_t *one = js_object();

			js_set(one, "variant", js_str(e[i].odd[k].variant));
			js_set(one, "ratio", js_real(e[i].odd[k].ratio));
			js_push(odd, one);
		}
		js_set(o, "step", js_str(e[i].step));
		js_set(o, "metric", js_str(e[i].metric));
		js_set(o, "unit", js_str(e[i].unit));
		js_set(o, "better", js_str(e[i].better));
		js_set(o, "n", js_u64(e[i].n));
		js_set(o, "sigma", js_real(e[i].sigma));
		js_set(o, "detectable", js_real(e[i].detectable));
		js_set(o, "why", js_str(e[i].why));
		js_set(o, "effects", v);
		js_set(o, "suspect", odd);
		js_push(list, o);
	}
	js_set(doc, "format", js_str("fstrial-effects/1"));
	js_set(doc, "metrics", list);
	return doc;
}
