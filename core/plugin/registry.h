/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds, opens and checks plugins. The loader trusts nothing: magic, ABI, sizes, kind, name,
 * tables and callbacks are looked at before anything of the plugin is called. Plugins stay
 * loaded until exit.
 */
#pragma once

#include <fstrial/plugin.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/util/err.h"
#include "core/util/macro.h"

/* A plugin that passed. desc is our copy: zero where the plugin's own structure is shorter. */
struct plugin {
	struct fstrial_plugin desc;
	struct fst_engine_ops engine; /* engines: our copy, and desc.engine points to it */
	char *file;		      /* full path */
	char sha256[65];	      /* of the file; empty until plugin_sha256() */
	void *handle;
};

struct registry_refusal {
	char *file;   /* full path */
	char *reason; /* does not name the file */
};

struct registry {
	struct plugin **v; /* sorted by kind, then name */
	size_t n;
	struct registry_refusal *refused; /* in order of the search */
	size_t n_refused;
	char **dirs; /* searched, full paths, in order */
	size_t n_dirs;
};

/*
 * dirs: of --plugin-dir, in order; then FSTRIAL_PLUGIN_PATH (colon-separated), then the folder
 * `plugins` beside the binary (build tree), then the installed one. In each: DIR/NAME.so and
 * DIR/{setup,workload,engine}/NAME.so. Of two with the same kind and name the earlier is
 * taken; two in the same search directory are both refused. A refused file hides a later
 * plugin of its name: whoever puts a file in front wants that one or the reason, not another
 * version in silence. A directory of --plugin-dir or FSTRIAL_PLUGIN_PATH that is missing is an
 * error. Refused files are kept with their reasons and are no error until a job asks for them.
 * For root a file is refused too when others than root and the caller could have written it.
 */
int registry_load(const char *const *dirs, size_t n_dirs, struct registry *reg,
		  struct err *e) _must_check_;
void registry_release(struct registry *reg);
/* By kind and name; NULL when there is none. */
const struct plugin *registry_find(const struct registry *reg, enum fst_kind kind,
				   const char *name);
/*
 * Why there is no such plugin: refused file's reason, of another kind, nearest name, or the
 * list of what there is. Into buf.
 */
const char *registry_explain(const struct registry *reg, enum fst_kind kind, const char *name,
			     char *buf, size_t size);
/*
 * Computed once, on demand, and kept in p; "" when the file cannot be read any more. Main
 * thread only.
 */
const char *plugin_sha256(const struct plugin *p);
/* "setup" "workload" "engine"; NULL for another number. */
const char *plugin_kind_name(uint32_t kind);
bool plugin_is_data_workload(const struct plugin *p); /* has `next` */
/*
 * Checks a descriptor, of which struct_size bytes can be read, and copies what is known of it.
 * The error does not name the file; file is for the comparison with the plugin's name, NULL:
 * not compared.
 */
int plugin_validate(const struct fstrial_plugin *raw, const char *file, struct fstrial_plugin *copy,
		    struct err *e) _must_check_;
/* Metric, op, tool number i of a plugin, zero-extended. */
void plugin_metric(const struct fstrial_plugin *d, uint32_t i, struct fst_metric *out);
void plugin_op(const struct fstrial_plugin *d, uint32_t i, struct fst_op_kind *out);
void plugin_tool(const struct fstrial_plugin *d, uint32_t i, struct fst_tool *out);
/*
 * The metrics of a step: those of the plugin's table, then n_more that its check declared, of which one with the
 * name of another takes its place. The array is the caller's to free, its texts are not.
 */
struct fst_metric *plugin_metrics(const struct fstrial_plugin *d, const struct fst_metric *more, uint32_t n_more,
				  uint32_t *n);
