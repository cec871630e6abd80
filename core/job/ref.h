/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a name in a job stands for: a factor of the matrix, a variable, a member of either, a known
 * name.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/param/value.h"
#include "core/util/diag.h"
#include "core/util/macro.h"
#include "core/util/strbuf.h"

struct job;

enum ref_kind { REF_FACTOR, REF_VAR, REF_KNOWN };

struct ref {
	enum ref_kind kind;
	size_t index;	  /* of the factor or the variable */
	const char *path; /* into the name: "chunk" of "layout.chunk"; NULL: no member */
};

/*
 * 0, or -ENOENT. A member must be there in at least one of the factor's groups, or in the variable.
 * name must outlive *r.
 */
int ref_find(const struct job *job, const char *name, struct ref *r) _must_check_;
/*
 * The value, as it stands in the job; NULL for known names and members that this variant has not.
 */
const struct value *ref_value(const struct job *job, const struct ref *r, uint32_t variant);
/* Adds `unknown name "fsz"; did you mean "fs"?` to sb. */
void ref_explain(const struct job *job, const char *name, struct strbuf *sb);
/* Checks the names of vars and matrix: well-formed, not known names, not in both. */
void ref_check_names(const struct job *job, struct diag *d);
