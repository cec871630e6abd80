/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One failure: an errno and one line that names the object. */
#define ERR_IMPLEMENTATION
#include "core/util/err.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* One line: newlines and other white space controls become blanks, none stay at the end. */
static void err_flatten(char *s)
{
	size_t len = strlen(s);

	while (len && strchr(" \t\r\n", s[len - 1]))
		s[--len] = '\0';
	for (; *s; s++) {
		if (strchr("\t\r\n\v\f", *s))
			*s = ' ';
	}
}

int err_setv(struct err *e, int code, const char *fmt, va_list ap)
{
	int saved = errno;
	char text[ERR_TEXT];

	if (code < 0)
		code = -code;
	if (code == 0)
		code = EINVAL;
	if (e && !e->code) {
		/* By way of a copy: the arguments may point into e->text. */
		if (vsnprintf(text, sizeof(text), fmt, ap) < 0)
			snprintf(text, sizeof(text), "%s", fmt);
		err_flatten(text);
		memcpy(e->text, text, sizeof(text));
		e->code = code;
	}
	errno = saved;
	return -code;
}

int err_set(struct err *e, int code, const char *fmt, ...)
{
	va_list ap;
	int ret;

	va_start(ap, fmt);
	ret = err_setv(e, code, fmt, ap);
	va_end(ap);
	return ret;
}

int err_sysv(struct err *e, int code, const char *fmt, va_list ap)
{
	const char *words = strerror(code < 0 ? -code : code);
	/* However long a path is, what was wrong with it is not cut off. */
	const size_t room = ERR_TEXT - strlen(words) - strlen("...: ");
	char text[ERR_TEXT];
	int n = vsnprintf(text, room, fmt, ap);

	if (n < 0)
		snprintf(text, sizeof(text), "%s", fmt);
	return err_set(e, code, "%s%s: %s", text, n >= (int)room ? "..." : "", words);
}

int err_sys(struct err *e, int code, const char *fmt, ...)
{
	va_list ap;
	int ret;

	va_start(ap, fmt);
	ret = err_sysv(e, code, fmt, ap);
	va_end(ap);
	return ret;
}

void err_prefix(struct err *e, const char *fmt, ...)
{
	int saved = errno;
	char text[ERR_TEXT];
	va_list ap;
	int n;

	if (!e || !e->code)
		return;
	va_start(ap, fmt);
	n = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (n >= 0 && (size_t)n < sizeof(text)) {
		size_t left = sizeof(text) - (size_t)n;

		if (snprintf(text + n, left, ": %s", e->text) >= (int)left)
			text[sizeof(text) - 1] = '\0';
		err_flatten(text);
		memcpy(e->text, text, sizeof(text));
	}
	errno = saved;
}

void err_clear(struct err *e)
{
	if (!e)
		return;
	e->code = 0;
	e->text[0] = '\0';
}

const char *err_name(int code)
{
	static _Thread_local char number[16];
	const char *name;

	if (code < 0)
		code = -code;
	name = strerrorname_np(code);
	if (name)
		return name;
	snprintf(number, sizeof(number), "E%d", code);
	return number;
}
