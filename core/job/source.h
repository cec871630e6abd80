/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads a job file: size bound, @include (relative to the including file, ten deep, no cycles), the
 * checks that libconfig 1.5 leaves out (integers it would wrap, a comment that never ends, a byte
 * order mark), then libconfig, then our own tree with file and line of every value.
 */
#pragma once

#include "core/param/value.h"
#include "core/util/diag.h"

#define SOURCE_MAX_BYTES \
	(1024 * 1024) /* with all includes: beyond, libconfig's time is quadratic */

struct source {
	struct value *root; /* VALUE_GROUP; NULL when the text could not be parsed */
	char *text;	    /* of the main file, as read */
	size_t len;
	char **files; /* main file first, then includes; NULL-terminated; values point to them */
	size_t n_files;
	char sha256[65]; /* of the whole text, includes in their places */
};

/* 0, or -EINVAL with every finding in d. *s is to be released in either case. */
int source_load(const char *path, struct source *s, struct diag *d) _must_check_;
void source_release(struct source *s);
