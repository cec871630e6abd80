/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text for a terminal. */
#include "core/util/text.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "core/util/xalloc.h"

struct text_range {
	uint32_t first, last;
};

/* Characters that take no column of their own: combining marks, joiners, variation selectors. */
static const struct text_range text_zero[] = {
	{ 0x0300, 0x036f }, { 0x0483, 0x0489 }, { 0x0591, 0x05bd }, { 0x0610, 0x061a },
	{ 0x064b, 0x065f }, { 0x0900, 0x0902 }, { 0x093c, 0x093c }, { 0x0e31, 0x0e31 },
	{ 0x0e34, 0x0e3a }, { 0x0e47, 0x0e4e }, { 0x1ab0, 0x1aff }, { 0x1dc0, 0x1dff },
	{ 0x200b, 0x200f }, { 0x20d0, 0x20ff }, { 0x302a, 0x302d }, { 0x3099, 0x309a },
	{ 0xfe00, 0xfe0f }, { 0xfe20, 0xfe2f }, { 0xfeff, 0xfeff }, { 0xe0100, 0xe01ef },
};

/* East Asian wide and full-width characters, and emoji. */
static const struct text_range text_wide[] = {
	{ 0x1100, 0x115f },   { 0x2e80, 0x303e },   { 0x3041, 0x33ff },	  { 0x3400, 0x4dbf },
	{ 0x4e00, 0x9fff },   { 0xa000, 0xa4cf },   { 0xa960, 0xa97f },	  { 0xac00, 0xd7a3 },
	{ 0xf900, 0xfaff },   { 0xfe30, 0xfe6f },   { 0xff00, 0xff60 },	  { 0xffe0, 0xffe6 },
	{ 0x1f300, 0x1f64f }, { 0x1f680, 0x1f6ff }, { 0x1f900, 0x1f9ff }, { 0x20000, 0x3fffd },
};

static bool text_within(uint32_t c, const struct text_range *r, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (c >= r[i].first && c <= r[i].last)
			return true;
	}
	return false;
}

/* Controls, what turns the direction of text around, and what XML does not take. */
static bool text_harmful(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x2028 || c == 0x2029 || c == 0xfffe || c == 0xffff ||
	       (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

/* Bytes of the character at s, which is not the end; 0 when it is none. */
static size_t text_decode(const char *s, uint32_t *c)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *p = (const unsigned char *)s;
	size_t n = p[0] < 0x80 ? 1 : p[0] < 0xc2 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;

	if (!n || p[0] > 0xf4)
		return 0;
	*c = n == 1 ? p[0] : p[0] & (0x7fu >> n);
	for (size_t i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		*c = *c << 6 | (p[i] & 0x3f);
	}
	return *c < least[n] || *c > 0x10ffff || (*c >= 0xd800 && *c < 0xe000) ? 0 : n;
}

/* One character: its bytes, its columns, and whether it may be shown as it is. */
static size_t text_next(const char *s, size_t *columns, bool *good)
{
	uint32_t c = 0;
	size_t n = text_decode(s, &c);

	*good = n && !text_harmful(c);
	*columns = !*good					      ? 1
		   : text_within(c, text_zero, ARRAY_SIZE(text_zero)) ? 0
		   : text_within(c, text_wide, ARRAY_SIZE(text_wide)) ? 2
								      : 1;
	return n ? n : 1;
}

bool text_is_harmful(const char *s, size_t *len, uint32_t *c)
{
	*len = text_decode(s, c);
	if (*len)
		return text_harmful(*c);
	*len = 1;
	*c = 0xfffd;
	return true;
}

size_t text_width(const char *s)
{
	size_t width = 0, columns;
	bool good;

	while (*s) {
		s += text_next(s, &columns, &good);
		width += columns;
	}
	return width;
}

size_t text_fit(const char *s, size_t width)
{
	size_t used = 0, at = 0, columns;
	bool good;

	while (s[at]) {
		size_t n = text_next(s + at, &columns, &good);

		if (used + columns > width)
			break;
		used += columns;
		at += n;
	}
	return at;
}

void text_add_clean(struct strbuf *out, const char *s)
{
	size_t columns;
	bool good;

	while (*s) {
		size_t n = text_next(s, &columns, &good);

		if (good)
			strbuf_add(out, s, n);
		else
			strbuf_addch(out, *s == '\n' || *s == '\t' || *s == '\r' ? ' ' : '?');
		s += n;
	}
}

char *text_clean(const char *s)
{
	struct strbuf out = STRBUF_INIT;

	text_add_clean(&out, s);
	return strbuf_steal(&out);
}

char *text_truncate(const char *s, size_t width)
{
	if (text_width(s) <= width)
		return xstrdup(s);
	if (!width)
		return xstrdup("");
	return xasprintf("%.*s…", (int)text_fit(s, width - 1), s);
}

/* ---- wrapping ---- */

struct text_line {
	struct strbuf *out;
	size_t column, indent, width;
	bool empty; /* no word on this line yet */
};

static void text_break(struct text_line *l)
{
	strbuf_addf(l->out, "\n%*s", (int)l->indent, "");
	l->column = l->indent;
	l->empty = true;
}

static void text_word(struct text_line *l, const char *word)
{
	size_t columns = text_width(word);

	if (!l->empty && l->column + 1 + columns > l->width)
		text_break(l);
	if (!l->empty) {
		strbuf_addch(l->out, ' ');
		l->column++;
	}
	while (columns && l->column + columns > l->width) {
		size_t n = text_fit(word, l->width > l->column ? l->width - l->column : 0), one;
		bool good;

		if (!n) /* not even one character fits: goes down all the same */
			n = text_next(word, &one, &good);
		strbuf_add(l->out, word, n);
		word += n;
		columns = text_width(word);
		if (columns)
			text_break(l);
	}
	strbuf_addstr(l->out, word);
	l->column += columns;
	l->empty = false;
}

void text_wrap(struct strbuf *out, const char *text, size_t column, size_t indent, size_t width)
{
	struct text_line l = { out, column, indent, width, true };

	for (;;) {
		size_t n = strcspn(text, "\n"), blanks = strspn(text, " ");
		_cleanup_free_ char *line = xstrndup(text, n);
		char *rest = line, *word;

		if (blanks < n) {
			strbuf_addf(out, "%*s", (int)blanks, "");
			l.column += blanks;
			l.indent = indent + blanks;
		}
		while ((word = strsep(&rest, " "))) {
			if (*word)
				text_word(&l, word);
		}
		text += n;
		if (!*text || !text[1])
			break;
		text++;
		/* No blanks at the end of an empty line. */
		l.indent = *text == '\n' ? 0 : indent;
		text_break(&l);
	}
	strbuf_addch(out, '\n');
}
