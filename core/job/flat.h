/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One text out of a job file and what it includes, with the place that each of its lines comes
 * from. What only the raw text shows is checked on the way.
 */
#pragma once

#include "core/util/diag.h"
#include "core/util/macro.h"
#include "core/util/strbuf.h"

/*
 * Stands in the text for an integer that was refused, so that the rest can be looked at too. A
 * value like that is marked as bad.
 */
#define FLAT_BAD_INT (-2135188563)

struct flat {
	struct strbuf text;
	struct flat_line {
		const char *file;
		unsigned line;
	} * lines;
	size_t n_lines, cap_lines;
	char **files; /* NULL-terminated, main file first; lines point to them */
	size_t n_files;
	char *main_text; /* as read */
	size_t main_len;
	size_t n_bad_ints;
	size_t n_bytes; /* read so far */
};

/* 0 when the text can be given to a parser, whatever was found besides; -EINVAL when not. */
int flat_read(const char *path, struct flat *f, struct diag *d) _must_check_;
void flat_release(struct flat *f);
/* The place of line number line (from 1) of the whole text. */
struct flat_line flat_place(const struct flat *f, unsigned line);
