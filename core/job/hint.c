/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is wrong with a text that libconfig calls a "syntax error". */
#include "core/job/hint.h"

#include <stdbool.h>
#include <string.h>

#include "core/job/scan.h"
#include "core/util/str.h"
#include "core/util/vec.h"
#include "core/util/xalloc.h"

#define HINT_NEAR_MAX 60

/* ---- names given twice ----------------------------------------------------------------------- */

struct hint_name {
	const char *s;
	size_t len;
	unsigned line;
	unsigned group;
};

typedef VEC(struct hint_name) hint_names;

static void hint_name_seen(const struct flat *f, hint_names *seen, const struct token *t,
			   unsigned group, struct diag *d)
{
	struct flat_line here = flat_place(f, t->line), there;

	for (size_t i = seen->n; i-- > 0;) {
		const struct hint_name *o = &seen->v[i];

		if (o->group != group || o->len != t->len || memcmp(o->s, t->s, t->len) != 0)
			continue;
		there = flat_place(f, o->line);
		if (there.file == here.file)
			diag_add(d, here.file, here.line,
				 "\"%.*s\" is given twice, first in line %u", (int)t->len, t->s,
				 there.line);
		else
			diag_add(d, here.file, here.line, "\"%.*s\" is given twice, first in %s:%u",
				 (int)t->len, t->s, there.file, there.line);
		return;
	}
	vec_push(seen, ((struct hint_name){ t->s, t->len, t->line, group }));
}

/* All names that stand twice in one group. */
static void hint_duplicates(const struct flat *f, struct diag *d)
{
	struct scan s = { strbuf_str(&f->text), strbuf_str(&f->text) + f->text.len, 1 };
	VEC(unsigned) open = VEC_INIT; /* numbers of the groups we are in */
	hint_names seen = VEC_INIT;
	struct token t, name = { 0 };
	unsigned groups = 0;

	vec_push(&open, 0u);
	while (scan_next(&s, &t)) {
		if (token_is(&t, '{')) {
			groups++;
			vec_push(&open, groups);
		} else if (token_is(&t, '}') && open.n > 1) {
			/* The names of a closed group are not looked at again. */
			while (seen.n && seen.v[seen.n - 1].group == open.v[open.n - 1])
				seen.n--;
			open.n--;
		} else if ((token_is(&t, '=') || token_is(&t, ':')) && name.type == TOKEN_NAME) {
			hint_name_seen(f, &seen, &name, open.v[open.n - 1], d);
		}
		name = t;
	}
	vec_free(&open);
	vec_free(&seen);
}

/* ---- syntax ---------------------------------------------------------------------------------- */

static bool hint_is_value(const struct token *t)
{
	return t->type == TOKEN_NAME || t->type == TOKEN_NUMBER || t->type == TOKEN_TEXT ||
	       token_is(t, '{') || token_is(t, '(') || token_is(t, '[');
}

static bool hint_is_word(const struct token *t)
{
	if (t->type == TOKEN_NUMBER)
		return !token_is_number(t);
	return t->type == TOKEN_NAME && !(t->len == 4 && !strncasecmp(t->s, "true", 4)) &&
	       !(t->len == 5 && !strncasecmp(t->s, "false", 5));
}

/* What is wrong with two words that follow each other, or NULL. */
static char *hint_pair(const struct token *a, const struct token *b)
{
	bool after_sign = token_is(a, '=') || token_is(a, ':');
	bool in_list = token_is(a, ',') || token_is(a, '(') || token_is(a, '[');

	if (token_is(a, ',') && (token_is(b, ')') || token_is(b, ']')))
		return xasprintf("no \",\" after the last of a list");
	if (after_sign && (b->type == TOKEN_END || !hint_is_value(b)))
		return xasprintf("a value is missing after \"%c\"", *a->s);
	if ((after_sign || in_list) && hint_is_word(b))
		return xasprintf("text needs quotes: \"%.*s\"", (int)b->len, b->s);
	if ((token_is(a, '}') || token_is(a, ')')) && (token_is(b, '{') || token_is(b, '(')))
		return xasprintf("a \",\" is missing before \"%c\"", *b->s);
	if (token_is(a, ';') && token_is(b, ';'))
		return xasprintf("one \";\" is enough");
	if (a->type == TOKEN_NAME && hint_is_value(b) && !token_is(b, '{') && b->type != TOKEN_NAME)
		return xasprintf("\"=\" is missing after \"%.*s\"", (int)a->len, a->s);
	if (a->type == TOKEN_TEXT && a->line != a->last_line)
		return xasprintf("is its closing \" missing? The text goes over %u lines",
				 a->last_line - a->line + 1);
	return NULL;
}

/* The bracket that is still open at the end of the text; false when all are closed. */
static bool hint_open_bracket(const struct flat *f, struct token *open)
{
	struct scan s = { strbuf_str(&f->text), strbuf_str(&f->text) + f->text.len, 1 };
	VEC(struct token) stack = VEC_INIT;
	struct token t;
	bool found;

	while (scan_next(&s, &t)) {
		if (token_is(&t, '{') || token_is(&t, '(') || token_is(&t, '['))
			vec_push(&stack, t);
		else if ((token_is(&t, '}') || token_is(&t, ')') || token_is(&t, ']')) && stack.n)
			stack.n--;
	}
	found = stack.n > 0;
	if (found)
		*open = stack.v[stack.n - 1];
	vec_free(&stack);
	return found;
}

/*
 * The last line that has something in it, up to the one libconfig names, trimmed and not too long.
 */
static char *hint_near(const struct flat *f, unsigned line)
{
	const char *s = strbuf_str(&f->text);
	_cleanup_free_ char *copy = NULL;
	char *text;

	for (unsigned i = 1; i < line && *s; i++) {
		const char *nl = strchr(s, '\n');

		s = nl ? nl + 1 : s + strlen(s);
	}
	copy = xstrndup(s, strcspn(s, "\n"));
	text = str_trim(copy);
	if (strlen(text) <= HINT_NEAR_MAX)
		return xstrdup(text);
	for (size_t i = HINT_NEAR_MAX;; i--) {
		if (((unsigned char)text[i] & 0xc0) != 0x80)
			return xasprintf("%.*s...", (int)i, text);
	}
}

/* The first pair of words that cannot be right, up to and including line. *at is its line. */
static char *hint_find(const struct flat *f, unsigned line, unsigned *at)
{
	struct scan s = { strbuf_str(&f->text), strbuf_str(&f->text) + f->text.len, 1 };
	struct token last = { 0 }, t;
	char *hint = NULL;
	bool more = true;

	while (more && !hint && s.line <= line) {
		more = scan_next(&s, &t);
		if (!more)
			t.type = TOKEN_END;
		hint = last.s ? hint_pair(&last, &t) : NULL;
		/* A text over several lines is right mostly: only where libconfig stumbles. */
		if (hint && last.type == TOKEN_TEXT && t.line != line) {
			free(hint);
			hint = NULL;
		}
		*at = more ? t.line : last.last_line;
		last = t;
	}
	return hint;
}

static void hint_syntax(const struct flat *f, unsigned line, struct diag *d)
{
	unsigned at = line;
	_cleanup_free_ char *hint = hint_find(f, line, &at);
	_cleanup_free_ char *near = hint_near(f, hint ? at : line);
	struct flat_line place = flat_place(f, hint ? at : line);
	struct token open;

	if (hint)
		diag_add(d, place.file, place.line, "syntax error near \"%s\": %s", near, hint);
	else if (line >= f->n_lines && hint_open_bracket(f, &open))
		diag_add(d, flat_place(f, open.line).file, flat_place(f, open.line).line,
			 "the \"%c\" that stands here is never closed", *open.s);
	else
		diag_add(d, place.file, place.line, "syntax error near \"%s\"", near);
}

void hint_add(const struct flat *f, const char *message, unsigned line, struct diag *d)
{
	struct flat_line place = flat_place(f, line);
	size_t before = d->n;

	if (strstr(message, "duplicate"))
		hint_duplicates(f, d);
	else if (strstr(message, "mismatched element type"))
		diag_add(d, place.file, place.line,
			 "[ ] holds values of one type only: write ( ) around values of several");
	else if (strstr(message, "memory"))
		diag_add(d, place.file, place.line, "nested too deeply");
	else if (strstr(message, "syntax"))
		hint_syntax(f, line, d);
	if (d->n == before)
		diag_add(d, place.file, place.line, "%s", message);
}
