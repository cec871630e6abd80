/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The model of a job: what is to be done, before anything is done. Variants are not stored but
 * counted: a variant's number is its place in the full product, a step is resolved for a variant
 * when it is needed.
 */
#pragma once

#include <fstrial/plugin.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/io/options.h"
#include "core/job/source.h"
#include "core/param/param.h"
#include "core/param/value.h"
#include "core/util/diag.h"

struct plugin;
struct registry;
struct job_expr;
struct expect;

enum target_kind { TARGET_SCRATCH, TARGET_DEVICE, TARGET_DIRECTORY };

struct job_target {
	enum target_kind kind;
	uint64_t scratch_size;	 /* bytes of the sparse image; default 2 GiB */
	uint32_t scratch_sector; /* 512 (default) or 4096 */
	char *scratch_dir;	 /* where the image is made; default "/var/tmp" */
	uint32_t scratch_count;	 /* of such images; default 1 */
	char **devices; /* NULL-terminated */
	char **destroy; /* NULL-terminated; what the job confirms by */
	bool overwrite;
	bool only_read; /* preflight_check(): no step of the job could change what is on the devices */
	char *directory; /* absolute */
	const char *file;
	unsigned line;
};

/* One factor of the matrix. Values are scalars, or all of them groups with a `name`. */
struct job_factor {
	const char *name;
	const struct value *values; /* VALUE_LIST, substituted; of the job's `matrix` */
	uint32_t n;
	uint32_t stride; /* cells from one value to the next; the last factor's is 1 */
	const struct value
		*listed; /* as the file has them; other than values where --set pinned one */
};

enum parallel_stop {
	PARALLEL_ALL,	/* when the last member has ended */
	PARALLEL_FIRST, /* when any has: the others are ended then */
	PARALLEL_NAMED, /* when one that is named has */
};

/* Workload steps that run at the same time. */
struct job_parallel {
	const struct value *group; /* as written */
	char *name;		   /* `name`, else "parallel"; unique among groups */
	enum parallel_stop stop;
	size_t stop_at;	   /* PARALLEL_NAMED: number of the step */
	const char *stop_word; /* "all", "first", or the step's name */
	size_t first, n;   /* its members in the job's steps, one after the other */
	bool shared_files; /* they work in one directory, else each in its own */
	struct job_expr *when;
	uint64_t factors; /* of when */
	const char *file;
	unsigned line;
};

struct job_step {
	enum fst_kind kind;
	char *plugin_name;
	char *name; /* `name`, else the plugin's; unique within the job's steps */
	const struct plugin *plugin;
	const struct value *group; /* as written */
	struct job_expr *when;	   /* or NULL */
	const struct job_parallel *parallel; /* or NULL */
	bool once;
	bool broken;	  /* its errors were said while it was read: it cannot be resolved */
	uint64_t factors; /* bit f: it, or its `when`, depends on factor f */
	const char *file;
	unsigned line;
};

enum { JOB_MAX_FACTORS = 64, JOB_MAX_CELLS = 10000000 };
enum { TARGET_MAX_DEVICES = 64 };

enum job_order { ORDER_SHUFFLED, ORDER_LISTED };

struct job {
	struct source source;
	char sha256[65]; /* of the main file's text and all includes, in order */
	char *file;	 /* as named on the command line */
	char *dir;	 /* absolute, of the file: relative paths in the job start there */
	char *name;	 /* `job`, else the file's name without .job */
	char *description;
	struct job_target target;
	uint32_t repeats; /* default 5 */
	enum job_order order;
	uint64_t seed;		    /* of the job; 0: the session draws one */
	bool canaries;		    /* measured before each block */
	bool writes_device;	    /* preflight_check(): a workload writes a device, past any file system */
	struct value *vars;	    /* VALUE_GROUP, with --set applied */
	const struct value *global; /* VALUE_GROUP or NULL */
	struct value *matrix;	    /* VALUE_GROUP of VALUE_LISTs: what factors point to */
	struct value *pins;	    /* VALUE_GROUP of VALUE_LISTs: those of --set, one value each */
	struct job_factor *factors;
	size_t n_factors;
	uint32_t n_cells;   /* full product */
	uint32_t *variants; /* cell numbers that skip leaves, ascending */
	uint32_t n_variants;
	struct job_step *steps; /* once-steps first, then the trial's, each in the file's order */
	size_t n_steps, n_once;
	struct job_parallel **parallels;
	size_t n_parallels;
	struct param_names names; /* target_size is set when the target is known */
	const struct registry *registry;
};

/* What the command line may change before a job is looked at. */
struct job_options {
	const char *const
		*set; /* "NAME=VALUE": a variable, or a matrix factor (pinned to that value) */
	size_t n_set;
	uint32_t repeats;	    /* 0: as the job says */
	const char *directory;	    /* --directory: target becomes this directory */
	const char *const *destroy; /* --destroy NAME */
	size_t n_destroy;
};

/*
 * Loads, checks the frame (keys, target, matrix, skip, steps' plugins and parameter names) and
 * every distinct step of every variant. 0, or -EINVAL with all findings in d. *job is to be
 * released in either case.
 */
int job_load(const char *path, const struct job_options *opt, const struct registry *reg,
	     struct job *job, struct diag *d) _must_check_;
void job_release(struct job *job);

/* How many devices the target has: 0 for a directory. */
uint32_t job_target_count(const struct job_target *t);
/* Bytes of device n, from 1 on; of a directory's file system what is free. 0: not known, or no such device. */
uint64_t job_target_size(const struct job_target *t, uint32_t n);
/* Which device the fact "target.size" (the first) or "target.2.size" is about; 0: it is none of these. */
uint32_t job_target_size_key(const char *key);

/* ---- variants -------------------------------------------------------------------------------- */

/* Index into factors[f].values for variant number i (0 .. n_variants-1). */
uint32_t job_variant_choice(const struct job *job, uint32_t i, size_t f);
/* {"agcount": 4, "layout": "md"}; groups by their name. New reference. */
json_t *job_variant_json(const struct job *job, uint32_t i);
/* "agcount=4 layout=md" into a fresh string. "" without a matrix. */
char *job_variant_text(const struct job *job, uint32_t i);
/* "v01", padded to the number of digits that n_variants has, at least 2. */
char *job_variant_id(const struct job *job, uint32_t i);

/* ---- a step, resolved for a variant ---------------------------------------------------------- */

enum { STEP_MAX_LAYERS = 6 };

/* Not to be copied: layers point into it. */
struct step {
	const struct job_step *def;
	const struct plugin *plugin;
	const struct plugin *engine; /* data workloads; else NULL */
	struct step_options opt;
	struct io_params io;
	struct fst_io_options io_public; /* io, as plugins see it */
	void *cfg;			 /* plugin's */
	void *engine_cfg;
	struct param_layer layers[STEP_MAX_LAYERS];
	uint32_t n_layers;
	struct expect *expects; /* of a workload */
	size_t n_expects;
	struct param_arena arena;
};

/*
 * Does the step's `when` hold in this variant (true without one), and that of its group?
 * once-steps always do.
 */
bool job_step_active(const struct job *job, size_t step, uint32_t variant);
/*
 * Parses step for variant (any variant for once-steps). 0 or -EINVAL with findings in d. *out is to
 * be released in either case.
 */
int job_step_resolve(const struct job *job, size_t step, uint32_t variant, struct step *out,
		     struct diag *d) _must_check_;
void step_release(struct step *s);
/* Does the workload its I/O on a device, instead of files? */
bool step_on_device(const struct step *s);
/*
 * The step that has the trial's device mounted when this one begins, as far as that can be known before: a step
 * behind it may have made another device the trial's. NULL: there is none.
 */
const struct job_step *step_mounts_device(const struct job *job, size_t step, uint32_t variant);
/* May a step before this one make another device the trial's, in any variant? */
bool job_makes_device(const struct job *job, size_t step);
/* {"agcount": 4, ...}: all parameters of all layers, resolved. New reference. */
json_t *step_params_json(const struct step *s);

/*
 * Calls fn once for each distinct resolution of each active step, with a variant that stands for
 * it and the number of variants that share it. Stops at fn's first non-zero result.
 */
int job_each_distinct(const struct job *job,
		      int (*fn)(const struct job *job, size_t step, uint32_t variant,
				uint32_t n_variants, void *arg),
		      void *arg);

/* The core's own tables, for `plugins` and the tests: "step", "workload", "io". */
struct core_table {
	const char *name, *doc;
	const struct fst_param *v;
	uint32_t n;
	size_t size; /* of the structure it fills */
};
extern const struct core_table core_tables[];
extern const size_t n_core_tables;
