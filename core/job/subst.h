/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ${name} in texts: a factor's value in a variant, a variable (which may hold others), a known
 * name, a member of a group. $$ is a dollar sign. A text that is nothing but ${name} becomes the
 * value itself, with its type and, for messages, its place.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/param/value.h"
#include "core/util/diag.h"
#include "core/util/macro.h"

struct job;

/* In place of a variant: no factor is expected. */
#define SUBST_NO_VARIANT UINT32_MAX

/* Is there a $ in it? If not, it stands as it is. */
bool subst_is_needed(const struct value *v);
/*
 * Looks at every ${name} in v, through variables, without a variant: unknown names and malformed
 * texts go to d, and factors that are used are added to *factors (may be NULL: then a factor is an
 * error).
 */
int subst_scan(const struct job *job, const struct value *v, uint64_t *factors,
	       struct diag *d) _must_check_;
/* Scans all variables, finding circles. */
void subst_check_vars(const struct job *job, struct diag *d);
/*
 * A new value in *out, for a variant. Of what subst_scan() accepted only a member that this variant
 * lacks fails.
 */
int subst_value(const struct job *job, uint32_t variant, const struct value *v, struct value **out,
		struct diag *d) _must_check_;
