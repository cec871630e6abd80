/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Words that stand for numbers in jobs. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/util/macro.h"

/* Numbers that names stand for in "2*ram" and "50%". */
struct param_names {
	uint64_t ram; /* bytes */
	uint64_t cpus;
	uint64_t target_size; /* bytes of the first device; 0: not known yet, using it is an error that says so */
	uint64_t target_count; /* devices; 0: a directory */
};
/*
 * The value of "ram", "cpus", "target.size" or "target.count": 0, -ENOENT when it is none of them, -ENODATA when
 * not known. names may be NULL: then none is.
 */
int param_names_get(const char *name, const struct param_names *names, uint64_t *out,
		    bool *is_size) _must_check_;
extern const char *const param_names_known[4];
