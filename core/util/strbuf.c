/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A growing string. */
#include "core/util/strbuf.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "core/util/xalloc.h"

/* Room for len more bytes and the NUL. */
static void strbuf_reserve(struct strbuf *sb, size_t len)
{
	size_t want, cap;

	if (__builtin_add_overflow(sb->len, len, &want) || want > SIZE_MAX / 2 - 1)
		want = SIZE_MAX / 2; /* xrealloc() says what is to be said */
	else
		want++;
	if (want <= sb->cap)
		return;
	cap = sb->cap * 2 > want ? sb->cap * 2 : want;
	if (cap < 32)
		cap = 32;
	sb->buf = xrealloc(sb->buf, cap);
	sb->cap = cap;
}

void strbuf_add(struct strbuf *sb, const void *data, size_t len)
{
	strbuf_reserve(sb, len);
	if (len)
		memcpy(sb->buf + sb->len, data, len);
	sb->len += len;
	sb->buf[sb->len] = '\0';
}

void strbuf_addstr(struct strbuf *sb, const char *s)
{
	strbuf_add(sb, s, strlen(s));
}

void strbuf_addch(struct strbuf *sb, char c)
{
	strbuf_add(sb, &c, 1);
}

void strbuf_addvf(struct strbuf *sb, const char *fmt, va_list ap)
{
	va_list again;
	int n;

	strbuf_reserve(sb, 64);
	va_copy(again, ap);
	n = vsnprintf(sb->buf + sb->len, sb->cap - sb->len, fmt, ap);
	if (n < 0) {
		sb->buf[sb->len] = '\0';
		n = 0;
	} else if ((size_t)n >= sb->cap - sb->len) {
		strbuf_reserve(sb, (size_t)n);
		vsnprintf(sb->buf + sb->len, sb->cap - sb->len, fmt, again);
	}
	va_end(again);
	sb->len += (size_t)n;
}

void strbuf_addf(struct strbuf *sb, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	strbuf_addvf(sb, fmt, ap);
	va_end(ap);
}

void strbuf_truncate(struct strbuf *sb, size_t len)
{
	if (len >= sb->len)
		return;
	sb->len = len;
	sb->buf[len] = '\0';
}

const char *strbuf_str(const struct strbuf *sb)
{
	return sb->buf ? sb->buf : "";
}

char *strbuf_steal(struct strbuf *sb)
{
	char *s = sb->buf ? sb->buf : xstrdup("");

	sb->buf = NULL;
	sb->len = sb->cap = 0;
	return s;
}

void strbuf_free(struct strbuf *sb)
{
	free(sb->buf);
	sb->buf = NULL;
	sb->len = sb->cap = 0;
}
