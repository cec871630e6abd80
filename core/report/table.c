/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A table of text with aligned columns. */
#include "core/report/table.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/report/quote.h"
#include "core/util/text.h"
#include "core/util/xalloc.h"

#define TABLE_GAP 2	  /* blanks between columns */
#define TABLE_MIN_WIDTH 8 /* that a column keeps when it shrinks */

void table_init(struct table *t, const struct table_column *columns, size_t n_columns)
{
	*t = (struct table){ .columns = columns, .n_columns = n_columns };
}

static char **table_new_row(struct table *t)
{
	if (t->n_rows == t->cap) {
		t->cap = t->cap ? t->cap * 2 : 16;
		t->cells = xreallocarray(t->cells, t->cap * t->n_columns, sizeof(*t->cells));
	}
	return t->cells + t->n_rows++ * t->n_columns;
}

void table_row(struct table *t, const char *const *cells)
{
	char **row = table_new_row(t);

	for (size_t i = 0; i < t->n_columns; i++)
		row[i] = text_clean(cells[i] ? cells[i] : "");
}

void table_gap(struct table *t)
{
	memset(table_new_row(t), 0, t->n_columns * sizeof(*t->cells));
}

void table_free(struct table *t)
{
	for (size_t i = 0; i < t->n_rows * t->n_columns; i++)
		free(t->cells[i]);
	free(t->cells);
	*t = (struct table){ 0 };
}

/* ---- widths ---- */

static const char *table_cell(const struct table *t, size_t row, size_t column)
{
	const char *s = t->cells[row * t->n_columns + column];

	return s ? s : "";
}

static void table_natural(const struct table *t, size_t *w)
{
	for (size_t i = 0; i < t->n_columns; i++) {
		w[i] = text_width(t->columns[i].title);
		for (size_t r = 0; r < t->n_rows; r++)
			w[i] = MAX(w[i], text_width(table_cell(t, r, i)));
	}
}

static size_t table_sum(const struct table *t, const size_t *w)
{
	size_t sum = t->n_columns ? TABLE_GAP * (t->n_columns - 1) : 0;

	for (size_t i = 0; i < t->n_columns; i++)
		sum += w[i];
	return sum;
}

size_t table_width(const struct table *t)
{
	_cleanup_free_ size_t *w = xcalloc(t->n_columns + 1, sizeof(*w));

	table_natural(t, w);
	return table_sum(t, w);
}

static void table_shrink(const struct table *t, size_t width, size_t *w)
{
	for (size_t sum = table_sum(t, w); sum > width; sum--) {
		size_t widest = t->n_columns;

		for (size_t i = 0; i < t->n_columns; i++) {
			if (!(t->columns[i].flags & (TABLE_CUT | TABLE_WRAP)) ||
			    w[i] <= MAX((size_t)TABLE_MIN_WIDTH, text_width(t->columns[i].title)))
				continue;
			if (widest == t->n_columns || w[i] > w[widest])
				widest = i;
		}
		if (widest == t->n_columns)
			return;
		w[widest]--;
	}
}

/* ---- lines ---- */

/*
 * One line of a cell, in exactly width columns unless it is the last on its line and left-aligned:
 * no blanks at the ends of lines.
 */
static void table_put(struct strbuf *out, const char *s, size_t width, bool right)
{
	size_t used = text_width(s), pad = used < width ? width - used : 0;

	strbuf_addf(out, "%*s%s%*s", right ? (int)pad : 0, "", s, right ? 0 : (int)pad, "");
}

static void table_end_line(struct strbuf *out)
{
	while (out->len && out->buf[out->len - 1] == ' ')
		strbuf_truncate(out, out->len - 1);
	strbuf_addch(out, '\n');
}

/* Next line of a wrapped cell into *line; what is left, NULL at the end. */
static const char *table_next_line(const char *rest, size_t width, char **line)
{
	size_t n = text_fit(rest, width), cut = n;

	if (rest[n]) {
		while (cut && rest[cut] != ' ')
			cut--;
		if (!cut)
			cut = n;
	}
	*line = xstrndup(rest, cut);
	rest += cut;
	rest += strspn(rest, " ");
	return *rest && n ? rest : NULL;
}

static void table_format_row(const struct table *t, size_t row, const size_t *w, struct strbuf *out)
{
	_cleanup_free_ const char **rest = xcalloc(t->n_columns + 1, sizeof(*rest));
	bool more = true;

	for (size_t i = 0; i < t->n_columns; i++)
		rest[i] = table_cell(t, row, i);
	while (more) {
		more = false;
		for (size_t i = 0; i < t->n_columns; i++) {
			_cleanup_free_ char *line = NULL;

			if (!rest[i])
				line = xstrdup("");
			else if (t->columns[i].flags & TABLE_WRAP)
				rest[i] = table_next_line(rest[i], w[i], &line);
			else {
				line = t->columns[i].flags & TABLE_CUT
					       ? text_truncate(rest[i], w[i])
					       : xstrdup(rest[i]);
				rest[i] = NULL;
			}
			more = more || rest[i];
			strbuf_addf(out, "%*s", i ? TABLE_GAP : 0, "");
			table_put(out, line, w[i], t->columns[i].flags & TABLE_RIGHT);
		}
		table_end_line(out);
	}
}

void table_format(const struct table *t, size_t width, struct strbuf *out)
{
	_cleanup_free_ size_t *w = xcalloc(t->n_columns + 1, sizeof(*w));

	table_natural(t, w);
	table_shrink(t, width, w);
	for (size_t i = 0; i < t->n_columns; i++) {
		strbuf_addf(out, "%*s", i ? TABLE_GAP : 0, "");
		table_put(out, t->columns[i].title, w[i], t->columns[i].flags & TABLE_RIGHT);
	}
	table_end_line(out);
	for (size_t r = 0; r < t->n_rows; r++)
		table_format_row(t, r, w, out);
}

/* ---- Markdown ---- */

static void table_markdown_cell(const char *s, struct strbuf *out)
{
	strbuf_addstr(out, "| ");
	quote_markdown(s, out);
	strbuf_addch(out, ' ');
}

void table_markdown(const struct table *t, struct strbuf *out)
{
	for (size_t i = 0; i < t->n_columns; i++)
		table_markdown_cell(t->columns[i].title, out);
	strbuf_addstr(out, "|\n");
	for (size_t i = 0; i < t->n_columns; i++)
		strbuf_addstr(out, t->columns[i].flags & TABLE_RIGHT ? "| ---: " : "| --- ");
	strbuf_addstr(out, "|\n");
	for (size_t r = 0; r < t->n_rows; r++) {
		if (!t->cells[r * t->n_columns])
			continue;
		for (size_t i = 0; i < t->n_columns; i++)
			table_markdown_cell(table_cell(t, r, i), out);
		strbuf_addstr(out, "|\n");
	}
}
