/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Comparisons over versions for people: what each set is, what its cells did, and where it began. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/analyse/basic.h"
#include "core/report/comparison_text.h"
#include "core/report/history.h"
#include "core/report/quote.h"
#include "core/report/scale.h"
#include "core/report/table.h"
#include "core/util/str.h"
#include "core/util/strbuf.h"
#include "core/util/text.h"
#include "core/util/xalloc.h"

enum { HISTORY_WIDTH = 120, HISTORY_COLUMNS = 8 /* sets that fit beside each other */ };

/* ---- any table, as text or Markdown ---- */

struct grid {
	struct table table;
	struct table_column *columns;
	char **titles; /* what columns has, without anything harmful */
	size_t n;
	enum report_format format;
	FILE *out;
};

static void grid_init(struct grid *g, size_t n, enum report_format format, FILE *out)
{
	*g = (struct grid){ .columns = xcalloc(n, sizeof(*g->columns)), .titles = xcalloc(n, sizeof(*g->titles)), .n = n,
			    .format = format, .out = out };
}

static void grid_column(struct grid *g, size_t k, const char *title, unsigned flags)
{
	g->titles[k] = text_clean(title);
	g->columns[k] = (struct table_column){ g->titles[k], flags };
}

static void grid_put(struct grid *g)
{
	_cleanup_strbuf_ struct strbuf sb = STRBUF_INIT;

	if (g->format == REPORT_MARKDOWN)
		table_markdown(&g->table, &sb);
	else
		table_format(&g->table, HISTORY_WIDTH, &sb);
	fputs(strbuf_str(&sb), g->out);
	table_free(&g->table);
	for (size_t k = 0; k < g->n; k++)
		free(g->titles[k]);
	free(g->titles);
	free(g->columns);
}

/* ---- the sets ---- */

static const char *const set_titles[] = {
	"set", "", "results", "regressed", "suspect", "inconclusive", "improved", "all cells", "since the one before",
};

static void set_counts(const struct report *r, char cell[][64])
{
	snprintf(cell[3], 64, "%zu", report_count(r, VERDICT_REGRESSED));
	snprintf(cell[4], 64, "%zu", report_count(r, VERDICT_SUSPECT));
	snprintf(cell[5], 64, "%zu", report_count(r, VERDICT_INCONCLUSIVE) + report_count(r, VERDICT_NO_RATIO));
	snprintf(cell[6], 64, "%zu", report_count(r, VERDICT_IMPROVED));
	if (r->suite.geo.n > 1 && !isnan(r->suite.geo.t.t))
		snprintf(cell[7], 64, "%+.1f %%%s", 100 * (exp(-r->suite.geo.t.diff) - 1), r->suite.worse ? ", worse" : "");
}

static void set_since(const struct report *r, char *cell)
{
	size_t worse = report_count(r, VERDICT_REGRESSED), better = report_count(r, VERDICT_IMPROVED);

	if (!r->base)
		return;
	if (report_refused(r))
		snprintf(cell, 64, "not comparable");
	else if (worse || better)
		snprintf(cell, 64, "%zu regressed, %zu improved", worse, better);
	else
		snprintf(cell, 64, r->suite.worse ? "all cells worse" : "nothing");
}

static void put_sets(const struct history *s, enum report_format format, FILE *out)
{
	const char *by = !s->by ? "" : str_eq(s->by, "kernel") ? "kernel" : s->by + strlen("version of ");
	struct grid g;

	grid_init(&g, ARRAY_SIZE(set_titles), format, out);
	for (size_t k = 0; k < g.n; k++)
		grid_column(&g, k, k == 1 ? by : set_titles[k], k == 0 || k == 8 ? TABLE_CUT : k == 1 ? 0 : TABLE_RIGHT);
	table_init(&g.table, g.columns, g.n);
	for (size_t i = 0; i < s->n; i++) {
		char cell[ARRAY_SIZE(set_titles)][64] = { 0 };
		const char *cells[ARRAY_SIZE(set_titles)];

		snprintf(cell[1], 64, "%.63s", s->by ? history_label(s, i) : "");
		snprintf(cell[2], 64, "%zu", s->sets[i].n_docs);
		if (i && report_refused(&s->to_base[i]))
			snprintf(cell[7], 64, "not comparable");
		else if (i)
			set_counts(&s->to_base[i], cell);
		if (i)
			set_since(&s->to_last[i], cell[8]);
		for (size_t k = 0; k < g.n; k++)
			cells[k] = cell[k];
		cells[0] = s->sets[i].name;
		table_row(&g.table, cells);
	}
	grid_put(&g);
}

/* ---- the cells ---- */

static char verdict_mark(const struct comparison *c)
{
	static const char marks[] = {
		[VERDICT_REGRESSED] = 'R', [VERDICT_SUSPECT] = '?', [VERDICT_INCONCLUSIVE] = '?', [VERDICT_NO_RATIO] = '?',
		[VERDICT_NOT_WORSE] = '=', [VERDICT_SAME] = '=', [VERDICT_IMPROVED] = 'I',
	};

	return c->accepted ? 'a' : marks[c->verdict];
}

static void cell_row(const struct history *s, const struct cell *cell, struct grid *g)
{
	char text[4 + HISTORY_COLUMNS][160] = { 0 };
	const char *cells[4 + HISTORY_COLUMNS];
	double base = basic_median(cell->v, cell->n);
	struct scale scale;

	scale_for(fabs(base), cell->unit, &scale);
	snprintf(text[0], sizeof(text[0]), "%.70s.%.70s", cell->step, cell->metric);
	snprintf(text[1], sizeof(text[1]), "%.120s", cell->variant);
	scale_format(base, &scale, text[2], sizeof(text[2]));
	snprintf(text[3], sizeof(text[3]), "%s", scale.unit);
	for (size_t i = 1; i < s->n; i++) {
		const struct comparison *c = history_find(&s->to_base[i], cell);

		if (c && !report_refused(&s->to_base[i]) && !isnan(c->ratio))
			snprintf(text[3 + i], sizeof(text[3 + i]), "%+.1f %% %c", 100 * (c->ratio - 1), verdict_mark(c));
		else
			snprintf(text[3 + i], sizeof(text[3 + i]), "-");
	}
	for (size_t k = 0; k < g->n; k++)
		cells[k] = text[k];
	table_row(&g->table, cells);
}

static bool cell_decides(const struct history *s, const struct cell *cell)
{
	for (size_t i = 1; i < s->n; i++) {
		const struct comparison *c = history_find(&s->to_base[i], cell);

		if (c)
			return c->gated || !s->to_base[i].opt.gated_only;
	}
	return false;
}

/* A column for each set, where there is room for all. */
static bool cells_fit(const struct history *s)
{
	return s->n <= HISTORY_COLUMNS + 1;
}

static void put_cells(const struct history *s, enum report_format format, FILE *out)
{
	struct grid g;

	grid_init(&g, 3 + s->n, format, out);
	grid_column(&g, 0, "metric", TABLE_CUT);
	grid_column(&g, 1, "variant", TABLE_CUT);
	grid_column(&g, 2, history_label(s, 0), TABLE_RIGHT);
	grid_column(&g, 3, "", 0);
	for (size_t i = 1; i < s->n; i++)
		grid_column(&g, 3 + i, history_label(s, i), TABLE_RIGHT);
	table_init(&g.table, g.columns, g.n);
	for (size_t k = 0; k < s->sets[0].cells.n; k++)
		if (cell_decides(s, &s->sets[0].cells.v[k]))
			cell_row(s, &s->sets[0].cells.v[k], &g);
	fputc('\n', out);
	grid_put(&g);
}

/* ---- where it began ---- */

static void put_first(const struct history *s, const struct cell *cell, FILE *out)
{
	size_t i = history_first(s, cell);
	const struct comparison *c = i ? history_find(&s->to_base[i], cell) : NULL, *before, *now;
	_cleanup_strbuf_ struct strbuf sb = STRBUF_INIT;

	if (!c)
		return;
	before = history_find(&s->to_last[i], cell);
	now = history_find(&s->to_base[s->n - 1], cell);
	strbuf_addf(&sb, "%s.%s%s%s: first regressed in %s", cell->step, cell->metric, *cell->variant ? " " : "",
		    cell->variant, s->sets[i].name);
	if (s->by)
		strbuf_addf(&sb, " (%s)", history_label(s, i));
	strbuf_addf(&sb, ", %+.1f %% against the base", 100 * (c->ratio - 1));
	if (before && !isnan(before->ratio))
		strbuf_addf(&sb, ", %+.1f %% against %s (%s)", 100 * (before->ratio - 1), history_label(s, i - 1),
			    verdict_name(before->verdict));
	if (now && i + 1 < s->n && !isnan(now->ratio))
		strbuf_addf(&sb, "; %+.1f %% in the newest (%s)", 100 * (now->ratio - 1), verdict_name(now->verdict));
	if (c->accepted)
		strbuf_addf(&sb, "; accepted: %s", c->accepted);
	quote_lines(out, 2, "%s", strbuf_str(&sb));
}

static void put_conditions(const struct history *s, size_t i, FILE *out)
{
	const struct report *r = s->to_last[i].base ? &s->to_last[i] : &s->to_base[i];

	if (!r->differences.n && !r->new->mixed_with && !r->base->mixed_with && !report_refused(r))
		return;
	quote_lines(out, 2, "%s -> %s", r->base->name, r->new->name);
	report_put_conditions(r, out);
}

/* Before the tables. */
static void put_all_conditions(const struct history *s, FILE *out)
{
	for (size_t i = 1; i < s->n; i++)
		put_conditions(s, i, out);
}

/* Behind the tables. */
static void put_lines(const struct history *s, FILE *out)
{
	if (cells_fit(s))
		quote_lines(out, 2, "R regressed, I improved, = same or not worse, ? not settled, a accepted; each against %s",
			    s->sets[0].name);
	fputc('\n', out);
	for (size_t k = 0; k < s->sets[0].cells.n; k++)
		put_first(s, &s->sets[0].cells.v[k], out);
	for (size_t i = 1; i < s->n; i++)
		for (size_t k = 0; k < s->to_base[i].where.n; k++)
			quote_lines(out, 2, "%s: %s", history_label(s, i), s->to_base[i].where.lines[k]);
	report_put_unused(s->accepts, out);
}

void history_text(const struct history *s, enum report_format format, FILE *out)
{
	bool markdown = format == REPORT_MARKDOWN;
	struct fenced f;

	put_all_conditions(s, markdown ? fenced_begin(&f) : out);
	if (markdown)
		fenced_end(&f, out);
	put_sets(s, format, out);
	if (cells_fit(s))
		put_cells(s, format, out);
	if (markdown)
		fputc('\n', out);
	put_lines(s, markdown ? fenced_begin(&f) : out);
	if (markdown)
		fenced_end(&f, out);
}
