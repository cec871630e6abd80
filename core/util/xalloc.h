/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Allocation that cannot fail: on exhaustion the process says so and aborts. A step child that
 * aborts fails its step; a session that aborts leaves its undo journal for `fstrial recover`.
 * Everything returned is freed with free().
 */
#pragma once

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include "core/util/macro.h"

void *xmalloc(size_t size);
void *xcalloc(size_t n, size_t size);
void *xrealloc(void *p, size_t size);
void *xreallocarray(void *p, size_t n, size_t size);
void *xmemdup(const void *p, size_t size);
char *xstrdup(const char *s);
char *xstrndup(const char *s, size_t n);
char *xasprintf(const char *fmt, ...) _printf_(1, 2);
char *xvasprintf(const char *fmt, va_list ap) _printf_(1, 0);
/* What is printed into it is *text once it is closed. */
FILE *xopen_memstream(char **text, size_t *len);
