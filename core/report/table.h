/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A table of text with aligned columns. Cells may be UTF-8; control characters in them are made
 * harmless. Where the table would be too wide, columns that may shrink give way: the widest first,
 * their cells cut with "…" or wrapped to further lines.
 */
#pragma once

#include <stddef.h>
#include <stdio.h>

#include "core/util/strbuf.h"

enum table_flag {
	TABLE_RIGHT = 1u << 0, /* numbers; else left */
	TABLE_CUT = 1u << 1,   /* may shrink, cells are cut */
	TABLE_WRAP = 1u << 2,  /* may shrink, cells are wrapped */
};

struct table_column {
	const char *title; /* static */
	unsigned flags;	   /* enum table_flag */
};

struct table {
	const struct table_column *columns;
	size_t n_columns;
	char **cells; /* n_rows * n_columns; a row of NULLs is an empty line */
	size_t n_rows, cap;
};

/* columns must live as long as the table. */
void table_init(struct table *t, const struct table_column *columns, size_t n_columns);
/* n_columns texts, copied; NULL is an empty cell. */
void table_row(struct table *t, const char *const *cells);
/* An empty line. */
void table_gap(struct table *t);
/* Columns the table takes when nothing shrinks. */
size_t table_width(const struct table *t);
/* Titles and rows, each line at most width columns where the columns that may shrink allow it. */
void table_format(const struct table *t, size_t width, struct strbuf *out);
/* The same as a table of Markdown; a row that is an empty line is left out. */
void table_markdown(const struct table *t, struct strbuf *out);
void table_free(struct table *t);
