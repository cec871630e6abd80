/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All that is wrong with a job, gathered and shown at once as `file:line: message`. */
#pragma once

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include "core/util/macro.h"

struct diag {
	struct diag_line {
		char *file; /* or NULL */
		unsigned line;
		char *text;
	} * v;
	size_t n, cap;
	const char *prefix; /* "PREFIX: " is put in front of each message; NULL: none */
	unsigned *index;    /* hash table over v, to keep each line once */
	size_t index_size;
};

/* file may be NULL (then only the message is shown). The same line twice is kept once. */
void diag_add(struct diag *d, const char *file, unsigned line, const char *fmt, ...) _printf_(4, 5);
void diag_addv(struct diag *d, const char *file, unsigned line, const char *fmt, va_list ap)
	_printf_(4, 0);
/* Sorted by file (in order of first mention) and line. */
void diag_print(struct diag *d, FILE *out);
void diag_free(struct diag *d);
