/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Texts out of documents, as each format has to have them. */
#include "core/report/quote.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/util/str.h"
#include "core/util/text.h"
#include "core/util/xalloc.h"

void quote_lines(FILE *out, size_t indent, const char *fmt, ...)
{
	_cleanup_strbuf_ struct strbuf line = STRBUF_INIT, clean = STRBUF_INIT, lines = STRBUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	strbuf_addvf(&line, fmt, ap);
	va_end(ap);
	text_add_clean(&clean, strbuf_str(&line));
	text_wrap(&lines, strbuf_str(&clean), 0, indent, REPORT_WIDTH);
	fputs(strbuf_str(&lines), out);
}

/* Does a spreadsheet take it for a formula that calls or opens something? Options like "-i size=512" are none. */
static bool csv_is_formula(const char *s)
{
	s += strspn(s, " ");
	return *s && strchr("=+-@", *s) && strpbrk(s, "(|");
}

void quote_csv(const char *s, bool always, FILE *out)
{
	_cleanup_free_ char *clean = text_clean(s);
	const char *before = csv_is_formula(clean) ? "'" : "";

	if (!always && !strpbrk(clean, ",\";") && *clean != ' ') {
		fprintf(out, "%s%s", before, clean);
		return;
	}
	fprintf(out, "\"%s", before);
	for (const char *p = clean; *p; p++)
		fprintf(out, *p == '"' ? "\"%c" : "%c", *p);
	fputc('"', out);
}

void quote_xml(const char *s, FILE *out)
{
	_cleanup_free_ char *clean = text_clean(s);

	for (const char *p = clean; *p; p++) {
		switch (*p) {
		case '&':
			fputs("&amp;", out);
			break;
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		default:
			fputc(*p, out);
		}
	}
}

void quote_markdown(const char *s, struct strbuf *out)
{
	_cleanup_free_ char *clean = text_clean(s);

	for (const char *p = clean; *p; p++) {
		if (strchr("|*_<`\\[~&", *p))
			strbuf_addch(out, '\\');
		strbuf_addch(out, *p);
	}
}

static size_t longest_run(const char *s, char c)
{
	size_t longest = 0, run = 0;

	for (; *s; s++) {
		run = *s == c ? run + 1 : 0;
		longest = MAX(longest, run);
	}
	return longest;
}

void quote_fenced(const char *lines, struct strbuf *out)
{
	const size_t fence = MAX(longest_run(lines, '`') + 1, (size_t)3);

	if (!*lines)
		return;
	for (int end = 0; end < 2; end++) {
		for (size_t i = 0; i < fence; i++)
			strbuf_addch(out, '`');
		strbuf_addf(out, "\n%s%s", end ? "" : lines, end || str_ends(lines, "\n") ? "" : "\n");
	}
}

FILE *fenced_begin(struct fenced *f)
{
	return f->lines = xopen_memstream(&f->text, &f->len);
}

void fenced_end(struct fenced *f, FILE *out)
{
	_cleanup_strbuf_ struct strbuf fenced = STRBUF_INIT;

	if (fclose(f->lines) == 0)
		quote_fenced(f->text, &fenced);
	fputs(strbuf_str(&fenced), out);
	free(f->text);
}
