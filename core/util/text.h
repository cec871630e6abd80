/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Text for a terminal: its width in columns, cut and broken between characters, never inside one.
 * UTF-8 whatever the locale says. What comes out of result files is not trusted: control characters
 * and bytes that are not UTF-8 are shown as "?".
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/util/macro.h"
#include "core/util/strbuf.h"

/* Is *c at s, of *len bytes, a control, or what turns the direction of text? U+FFFD is what is no character. */
bool text_is_harmful(const char *s, size_t *len, uint32_t *c);
/* Columns that s takes: 2 for wide characters, 0 for combining ones. */
size_t text_width(const char *s);
/* Bytes of the longest beginning of s that fits into width columns. */
size_t text_fit(const char *s, size_t width);
/* Adds s with everything harmful replaced; line breaks become blanks. */
void text_add_clean(struct strbuf *out, const char *s);
char *text_clean(const char *s);
/* A fresh copy of s in at most width columns, the last of them "…" where something was cut. */
char *text_truncate(const char *s, size_t width);
/*
 * Adds text broken at blanks into lines of at most width columns, the last one ended too. column is
 * where the first line begins, indent the blanks before the others. A word that is longer than a
 * line is broken; "\n" in text begins a new line. Blanks at the beginning of such a line stay.
 */
void text_wrap(struct strbuf *out, const char *text, size_t column, size_t indent, size_t width);
