/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A growing string, always NUL-terminated once something was added. Zeroed is empty. */
#pragma once

#include <stdarg.h>
#include <stddef.h>

#include "core/util/macro.h"

struct strbuf {
	char *buf;
	size_t len; /* without the NUL */
	size_t cap;
};

#define STRBUF_INIT { NULL, 0, 0 }
#define _cleanup_strbuf_ _cleanup_(strbuf_free)

void strbuf_add(struct strbuf *sb, const void *data, size_t len);
void strbuf_addstr(struct strbuf *sb, const char *s);
void strbuf_addch(struct strbuf *sb, char c);
void strbuf_addf(struct strbuf *sb, const char *fmt, ...) _printf_(2, 3);
void strbuf_addvf(struct strbuf *sb, const char *fmt, va_list ap) _printf_(2, 0);
/* Cuts to len bytes. */
void strbuf_truncate(struct strbuf *sb, size_t len);
/* The text; "" when empty. Owned by sb. */
const char *strbuf_str(const struct strbuf *sb);
/* The text, which the caller frees; sb is empty afterwards. Never NULL. */
char *strbuf_steal(struct strbuf *sb);
void strbuf_free(struct strbuf *sb);
