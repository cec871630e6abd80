/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One value of a job into one field of a configuration. */
#pragma once

#include "core/param/param.h"
#include "core/util/strbuf.h"

/*
 * Stores v at dst, as p's type has it, within p's range. -EINVAL with the message ("agcount = 0:
 * must be at least 1") in why. dir: relative paths are of it; NULL: they stay.
 */
int param_parse(const struct fst_param *p, const struct value *v, const struct param_names *names,
		const char *dir, struct param_arena *a, void *dst, struct strbuf *why) _must_check_;
/* Bytes that a field of the type has; 0 for an unknown type. */
size_t param_type_size(uint32_t type);
/* Choice i, zero where the plugin's own is shorter. */
void param_choice(const struct fst_param *p, uint32_t i, struct fst_choice *out);
/* The number of the choice of that name, or -1. */
int param_find_choice(const struct fst_param *p, const char *name);
