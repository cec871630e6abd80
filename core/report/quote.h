/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Texts out of documents, as each format has to have them. What a document says is not trusted: whatever it is, it
 * moves no cursor, breaks no line and does not end the place that it stands in. For JSON js_dump() and js_print() do
 * the same.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "core/util/macro.h"
#include "core/util/strbuf.h"

enum { REPORT_WIDTH = 100 };

/* Text for people: lines of at most REPORT_WIDTH columns, all but the first one indented. */
void quote_lines(FILE *out, size_t indent, const char *fmt, ...) _printf_(3, 4);
/* A field as RFC 4180 has it, and none that a spreadsheet would run. always: in quotes even where it needs none. */
void quote_csv(const char *s, bool always, FILE *out);
/* Text in an element or attribute of XML 1.0. */
void quote_xml(const char *s, FILE *out);
/* A cell of a table of Markdown. */
void quote_markdown(const char *s, struct strbuf *out);
/* Lines that stay as they are in Markdown, between fences that none of them can end; nothing where there are none. */
void quote_fenced(const char *lines, struct strbuf *out);

/* The same for what is printed between the two. */
struct fenced {
	FILE *lines;
	char *text;
	size_t len;
};
FILE *fenced_begin(struct fenced *f);
void fenced_end(struct fenced *f, FILE *out);
