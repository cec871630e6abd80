/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One failure: an errno and one line that names the object. Set once where the cause is known;
 * later calls do not overwrite it, callers only pass it on.
 */
#pragma once

#include <stdarg.h>
#include <stdbool.h>

#include "core/util/macro.h"

enum { ERR_TEXT = 1024 };

struct err {
	int code;	/* positive errno; 0 while nothing has failed */
	char text[ERR_TEXT]; /* the whole story: no newline, no trailing full stop */
};

/*
 * Records code (positive errno) and the formatted text unless e already holds an error; e may be
 * NULL. Newlines become blanks. Returns -code, so that callers can `return err_set(...)`.
 */
int err_set(struct err *e, int code, const char *fmt, ...) _printf_(3, 4);
int err_setv(struct err *e, int code, const char *fmt, va_list ap) _printf_(3, 0);
/* The same with ": " and the errno's own words behind the text. */
int err_sys(struct err *e, int code, const char *fmt, ...) _printf_(3, 4);
int err_sysv(struct err *e, int code, const char *fmt, va_list ap) _printf_(3, 0);
/* Puts "where: " in front of the text. */
void err_prefix(struct err *e, const char *fmt, ...) _printf_(2, 3);
void err_clear(struct err *e);
/* "ENOSPC" for 28; "E123" for a number without a name. Static string. */
const char *err_name(int code);

#if defined(__clang_analyzer__) && !defined(ERR_IMPLEMENTATION)
/* What the analyser cannot know: these never return 0. */
#define err_set(...) ((void)err_set(__VA_ARGS__), -1)
#define err_sys(...) ((void)err_sys(__VA_ARGS__), -1)
#endif
