/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Typed parameters from const tables (struct fst_param of plugin.h): defaults, parsing, ranges,
 * nearest names, help and JSON, for plugins and for the core's own tables alike.
 */
#pragma once

#include <fstrial/plugin.h>
#include <jansson.h>

#include "core/param/param_arena.h"
#include "core/param/param_names.h"
#include "core/param/value.h"
#include "core/util/diag.h"
#include "core/util/err.h"

/*
 * A table bound to the structure it fills. A step has several: core's, its plugin's, its engine's.
 */
struct param_layer {
	const char *owner; /* "mkfs", "io", for messages */
	const void *table; /* struct fst_param[], stride bytes apart */
	uint32_t n;
	uint32_t stride;
	void *base;	 /* the configuration */
	uint64_t *given; /* bit array, n bits: the job or `global` gave it */
};

/* Copies table entry i into *out, zero where the plugin's own is older and shorter. */
void param_entry(const struct param_layer *l, uint32_t i, struct fst_param *out);
/*
 * Is the table itself sound: names well-formed and unique (aliases too), docs there, types known,
 * defaults and bounds parse and agree, choices there, offsets within cfg_size? For the loader and
 * the core's tests.
 */
int param_check_table(const char *owner, const void *table, uint32_t n, uint32_t stride,
		      size_t cfg_size, struct err *e) _must_check_;
/* Stores all defaults. */
void param_set_defaults(struct param_layer *l, const struct param_names *names,
			struct param_arena *a);
/* Entry by name or alias: 0 and *i, or -ENOENT. */
int param_find(const struct param_layer *l, const char *name, uint32_t *i) _must_check_;
/*
 * Parses v (substituted already) into the configuration and marks it given. Errors go to d at v's
 * place, beginning with the parameter's name. 0 or -EINVAL.
 */
int param_set(struct param_layer *l, uint32_t i, const struct value *v,
	      const struct param_names *names, const char *dir, struct param_arena *a,
	      struct diag *d) _must_check_;
/* The parameter that is REQUIRED and not given, or -1. */
int param_missing(const struct param_layer *l);
bool param_is_given(const struct param_layer *l, uint32_t i);
/*
 * Value as JSON: sizes in bytes, times in ns, choices by name, lists as arrays, absent text as
 * null.
 */
json_t *param_json(const struct param_layer *l, uint32_t i);
/* Adds all values of the layer to object. */
void param_json_all(const struct param_layer *l, json_t *object);
/*
 * The table for `plugins --json`: [{name, type, unit, default, min, max, choices, required, doc}].
 */
json_t *param_table_json(const void *table, uint32_t n, uint32_t stride);
/* "size", "time", "integer", ... */
const char *param_type_name(uint32_t type);
