/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads a job: its frame here, matrix, target and steps in their own files. */
#include "core/job/job.h"

#include <errno.h>
#include <string.h>

#include "core/job/check.h"
#include "core/job/frame.h"
#include "core/job/matrix.h"
#include "core/job/ref.h"
#include "core/job/step_list.h"
#include "core/job/subst.h"
#include "core/util/str.h"
#include "core/util/xalloc.h"

#define JOB_REPEATS_MAX 100000u

struct job_cfg {
	const char *job, *description;
	uint64_t repeats, seed;
	int order;
	bool canaries;
};

static const struct fst_choice job_orders[] = {
	{ "shuffled", ORDER_SHUFFLED,
	  "Each block runs the variants in a random order of its own." },
	{ "listed", ORDER_LISTED, "Each block runs the variants as the matrix lists them." },
};

static const struct fst_param job_params[] = {
	{ .name = "job",
	  .type = FST_STR,
	  FST_AT(struct job_cfg, job),
	  .doc = "Name of the job; the file's name without .job where it is not given." },
	{ .name = "description",
	  .type = FST_STR,
	  FST_AT(struct job_cfg, description),
	  .doc = "What the job is for." },
	{ .name = "repeats",
	  .type = FST_U64,
	  FST_AT(struct job_cfg, repeats),
	  .def = "5",
	  .min = "1",
	  .max = "100000", /* JOB_REPEATS_MAX */
	  .doc = "Times each variant is run." },
	{ .name = "order",
	  .type = FST_ENUM,
	  FST_AT(struct job_cfg, order),
	  .def = "shuffled",
	  FST_CHOICES(job_orders),
	  .doc = "Order of the variants." },
	{ .name = "seed",
	  .type = FST_U64,
	  FST_AT(struct job_cfg, seed),
	  .def = "0",
	  .doc = "Seed of all that is random; 0: drawn by each session." },
	{ .name = "canaries",
	  .type = FST_BOOL,
	  FST_AT(struct job_cfg, canaries),
	  .def = "true",
	  .doc = "Measures before each block what no trial changes, a tenth of a second, to tell a changed machine." },
};

static const char *const job_keys[] = { "job",	"description", "repeats", "order",
					"seed", "target",      "matrix",  "skip",
					"vars", "global",      "steps",	  "once",
					"canaries" };

/* A parameter of workloads that stands outside of steps, perhaps. */
static bool job_is_step_key(const char *key)
{
	for (size_t t = 0; t < n_core_tables; t++) {
		for (uint32_t i = 0; i < core_tables[t].n; i++) {
			if (str_eq(core_tables[t].v[i].name, key))
				return true;
		}
	}
	return false;
}

static void job_check_keys(const struct value *root, struct diag *d)
{
	for (size_t i = 0; i < root->u.l.n; i++) {
		const struct value *v = root->u.l.v[i];
		const char *key = root->u.l.names[i];
		bool known = false;

		for (size_t k = 0; k < ARRAY_SIZE(job_keys); k++)
			known = known || str_eq(job_keys[k], key);
		if (known)
			continue;
		if (job_is_step_key(key))
			diag_add(d, v->file, v->line,
				 "unknown key \"%s\": it belongs into a step or into global", key);
		else
			frame_unknown(v, key, job_keys, ARRAY_SIZE(job_keys), d);
	}
}

/* The name is a directory's, too. */
static void job_check_name(const struct value *root, const char *name, struct diag *d)
{
	const struct value *at = value_get(root, "job");

	if (at && (!*name || *name == '.' || strchr(name, '/') || strlen(name) > 100))
		diag_add(d, at->file, at->line,
			 "job = \"%s\": a name has 1 to 100 characters, no \"/\" and no \".\" in "
			 "front",
			 name);
}

static char *job_default_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	size_t len = strlen(base);

	if (len > 4 && str_ends(base, ".job"))
		len -= 4;
	return xstrndup(base, len);
}

static void job_load_frame(struct job *job, const struct job_options *opt, struct diag *d)
{
	struct job_cfg cfg = { 0 };
	uint64_t given = 0;
	struct param_layer l = { "job", job_params, ARRAY_SIZE(job_params), sizeof(job_params[0]),
				 &cfg,	&given };
	struct param_arena a = { 0 };

	param_set_defaults(&l, &job->names, &a);
	for (uint32_t i = 0; i < l.n; i++) {
		const struct value *v = value_get(job->source.root, job_params[i].name);

		/* What is wrong is said; the default goes on. */
		if (v && frame_set(job, &l, i, v, &a, d))
			continue;
	}
	if (cfg.job)
		job_check_name(job->source.root, cfg.job, d);
	job->name = cfg.job ? xstrdup(cfg.job) : job_default_name(job->file);
	job->description = cfg.description ? xstrdup(cfg.description) : NULL;
	job->repeats = opt && opt->repeats ? opt->repeats : (uint32_t)cfg.repeats;
	if (job->repeats > JOB_REPEATS_MAX)
		diag_add(d, NULL, 0, "--repeats %u: must be at most %u", job->repeats, JOB_REPEATS_MAX);
	job->order = (enum job_order)cfg.order;
	job->seed = cfg.seed;
	job->canaries = cfg.canaries;
	param_arena_free(&a);
}

/* Absolute, of the job's file. */
static char *job_directory(const char *path)
{
	const char *slash = strrchr(path, '/');
	_cleanup_free_ char *dir = slash ? xstrndup(path,
						    slash == path ? 1 : (size_t)(slash - path))
					 : xstrdup(".");
	char *full = realpath(dir, NULL);

	return full ? full : xstrdup(dir);
}

static void job_machine(struct param_names *names)
{
	long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE),
	     cpus = sysconf(_SC_NPROCESSORS_ONLN);

	names->ram = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : 0;
	names->cpus = cpus > 0 ? (uint64_t)cpus : 1;
}

static void job_build(struct job *job, const struct job_options *opt, struct diag *d)
{
	const struct value *root = job->source.root;

	job_check_keys(root, d);
	matrix_read(job, value_get(root, "matrix"), d);
	frame_load_vars(job, value_get(root, "vars"), opt, d);
	ref_check_names(job, d);
	d->prefix = "vars";
	subst_check_vars(job, d);
	d->prefix = NULL;
	job_load_frame(job, opt, d);
	frame_load_target(job, value_get(root, "target"), opt, d);
	matrix_settle(job, d);
	matrix_expand(job, value_get(root, "skip"), d);
	step_list_load(job, root, d);
	if (job->n_variants)
		job_check(job, d);
}

int job_load(const char *path, const struct job_options *opt, const struct registry *reg,
	     struct job *job, struct diag *d)
{
	size_t before = d->n;

	*job = (struct job){ .registry = reg };
	job->file = xstrdup(path);
	job->dir = job_directory(path);
	job_machine(&job->names);
	if (source_load(path, &job->source, d) && !job->source.root)
		return -EINVAL;
	memcpy(job->sha256, job->source.sha256, sizeof(job->sha256));
	job_build(job, opt, d);
	return d->n > before ? -EINVAL : 0;
}

void job_release(struct job *job)
{
	step_list_release(job);
	frame_release_target(&job->target);
	free(job->file);
	free(job->dir);
	free(job->name);
	free(job->description);
	value_free(job->vars);
	value_free(job->matrix);
	value_free(job->pins);
	free(job->factors);
	free(job->variants);
	source_release(&job->source);
	*job = (struct job){ 0 };
}
