/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs the workloads that follow in a control group with limits of memory and I/O. */
#include <sys/stat.h>

#include "cgroup_remove.h"

#define CGROUP_PREFIX "fstrial-"

#define CGROUP_PARAM(n, t) .name = #n, .type = (t), FST_AT(struct cgroup_cfg, n)

static const struct fst_param cgroup_params[] = {
	{ CGROUP_PARAM(memory, FST_SIZE), .min = "1MiB",
	  .doc = "Memory that the workloads may use, page cache included (memory.max, "
		 "memory.limit_in_bytes)." },
	{ CGROUP_PARAM(memory_high, FST_SIZE), .min = "1MiB",
	  .doc = "Memory beyond which they are slowed down and pages taken away (memory.high; "
		 "version 2 only)." },
	{ CGROUP_PARAM(read_bps, FST_SIZE), .min = "4KiB", .unit = "bytes/s",
	  .doc = "Bytes a second that they may read from the trial's disk." },
	{ CGROUP_PARAM(write_bps, FST_SIZE), .min = "4KiB", .unit = "bytes/s",
	  .doc = "Bytes a second that they may write to it." },
	{ CGROUP_PARAM(read_iops, FST_U64), .min = "1", .unit = "I/Os a second",
	  .doc = "Reads a second that they may send to it." },
	{ CGROUP_PARAM(write_iops, FST_U64), .min = "1", .unit = "I/Os a second",
	  .doc = "Writes a second that they may send to it." },
};

static int cgroup_check(struct fst_ctx *ctx)
{
	const struct cgroup_cfg *cfg = ctx->cfg;

	if (!cgroup_wanted(ctx))
		return fst_error(ctx, 0, "no limit is given: %s or one of the others",
				 cgroup_limits[0].param);
	if (cfg->memory && cfg->memory_high > cfg->memory)
		return fst_error(ctx, 0, "memory_high is above memory, where it has no effect");
	return 0;
}

static int cgroup_probe(struct fst_ctx *ctx)
{
	struct cgroup_place v[2];
	unsigned int missing, wanted = cgroup_wanted(ctx);

	if ((wanted & CGROUP_IO) && !ctx->sysfs)
		return fst_error(ctx, EOPNOTSUPP,
				 "the target is a directory: there is no device of ours whose I/O "
				 "could be limited");
	cgroup_places(wanted, v, &missing);
	if (missing)
		return fst_error(ctx, EOPNOTSUPP,
				 "the %s controller of cgroups is nowhere to be had "
				 "(/proc/self/mountinfo shows "
				 "neither version 1 nor version 2 with it)",
				 missing & CGROUP_MEMORY ? "memory" : "io");
	return 0;
}

static int cgroup_estimate(struct fst_ctx *ctx, struct fst_estimate *est)
{
	size_t i;

	(void)est;
	for (i = 0; i < FST_COUNT(cgroup_limits); i++)
		if (cgroup_limit_value(ctx, &cgroup_limits[i]))
			fst_plan(ctx, NULL, "runs the workloads in a control group: %s = %" PRIu64,
				 cgroup_limits[i].param,
				 cgroup_limit_value(ctx, &cgroup_limits[i]));
	return 0;
}

/* ---- apply ----------------------------------------------------------------------------------- */

/* The same for apply and readback, whose parent is the session, and nobody else's. */
static int cgroup_name(const struct fst_ctx *ctx, const struct cgroup_place *p, char *dir,
		       size_t size)
{
	int n = snprintf(dir, size, "%s/" CGROUP_PREFIX "%d-%016" PRIx64, p->parent, (int)getppid(),
			 ctx->seed);

	return n < 0 || (size_t)n >= size ? -ENAMETOOLONG : 0;
}

/* Version 2: the topmost group is told to give its children the controllers. */
static int cgroup_enable(struct fst_ctx *ctx, const struct cgroup_place *p)
{
	char fact[PATH_MAX + 64], word[32];
	unsigned int i;
	int r = 0;

	for (i = 0; p->enable && i < 2 && r == 0; i++) {
		const char *name = cgroup_names[i][1];

		if (!(p->controllers & (1u << i)) ||
		    cgroup_file_has_word(p->parent, "cgroup.subtree_control", name))
			continue;
		snprintf(fact, sizeof(fact), "%s %s", name, p->parent);
		r = fst_save(ctx, "enabled", fact);
		snprintf(word, sizeof(word), "+%s", name);
		if (r == 0)
			r = cgroup_write(p->parent, "cgroup.subtree_control", word);
		if (r < 0)
			return fst_error(ctx, -r, "write %s to %s/cgroup.subtree_control", word,
					 p->parent);
	}
	return r;
}

static int cgroup_make(struct fst_ctx *ctx, const struct cgroup_place *p)
{
	char dir[PATH_MAX], procs[PATH_MAX + 32];
	int r = cgroup_enable(ctx, p);

	if (r == 0)
		r = cgroup_name(ctx, p, dir, sizeof(dir));
	if (r < 0)
		return r;
	/* One that is there is somebody else's: it must not be in the facts. */
	if (access(dir, F_OK) == 0)
		return fst_error(ctx, EEXIST, "the group %s", dir);
	r = fst_save(ctx, "group", dir);
	if (r == 0 && mkdir(dir, 0755) < 0)
		r = fst_error(ctx, errno, "make the group %s", dir);
	if (r < 0)
		return r;
	fst_note(ctx, p->controllers & CGROUP_MEMORY ? "group" : "io_group", dir);
	r = cgroup_limits_set(ctx, dir, p->version, p->controllers);
	snprintf(procs, sizeof(procs), "%s/cgroup.procs", dir);
	return r < 0 ? r : fst_set_cgroup(ctx, procs);
}

static int cgroup_apply(struct fst_ctx *ctx)
{
	const struct cgroup_cfg *cfg = ctx->cfg;
	struct cgroup_place v[2];
	unsigned int missing;
	size_t i, n = cgroup_places(cgroup_wanted(ctx), v, &missing);
	int r = 0;

	for (i = 0; i < n && r == 0; i++) {
		r = cgroup_make(ctx, &v[i]);
		if (r == 0 && v[i].version == 1 && (cfg->write_bps || cfg->write_iops) &&
		    (v[i].controllers & CGROUP_IO))
			fst_warning(ctx, "cgroup version 1 limits direct writes only: what the "
					 "kernel writes "
					 "back from its cache is not held up");
	}
	return r;
}

/* ---- readback, revert ------------------------------------------------------------------------ */

static int cgroup_readback(struct fst_ctx *ctx)
{
	struct cgroup_place v[2];
	char dir[PATH_MAX];
	unsigned int missing;
	size_t i, n = cgroup_places(cgroup_wanted(ctx), v, &missing);

	for (i = 0; i < n; i++)
		if (cgroup_name(ctx, &v[i], dir, sizeof(dir)) == 0)
			cgroup_limits_say(ctx, dir, v[i].version, v[i].controllers);
	return 0;
}

static int cgroup_undo(struct fst_ctx *ctx, const char *key, const char *value, void *arg)
{
	const char *base = strrchr(value, '/');
	char word[32];
	int r;

	(void)arg;
	if (strcmp(key, "group") == 0)
		return base && strncmp(base + 1, CGROUP_PREFIX, strlen(CGROUP_PREFIX)) == 0
			       ? cgroup_remove(ctx, value)
			       : 0;
	if (strcmp(key, "enabled") != 0 || !strchr(value, ' '))
		return 0;
	snprintf(word, sizeof(word), "-%.*s", (int)strcspn(value, " "), value);
	value = strchr(value, ' ') + 1;
	if (!cgroup_file_has_word(value, "cgroup.subtree_control", word + 1))
		return 0;
	r = cgroup_write(value, "cgroup.subtree_control", word);
	return r < 0 ? fst_error(ctx, -r, "to put it back: echo %s > %s/cgroup.subtree_control",
				 word, value)
		     : 0;
}

static int cgroup_revert(struct fst_ctx *ctx)
{
	return fst_saved_each(ctx, cgroup_undo, NULL);
}

FSTRIAL_PLUGIN(.kind = FST_SETUP, .name = "cgroup", .version = "1",
	       .summary = "limits memory and I/O of the workloads that follow, by a control group",
	       .description = "Makes a control group with limits, which the processes of the "
			      "workloads behind it are in; "
			      "their notes name it. Version 1 and 2 of cgroups are used, whichever "
			      "has the controller.\n"
			      "With a memory limit a data set needs no longer be a multiple of the "
			      "machine's memory to "
			      "exceed the cache: 128MiB read twice within 64MiB come from the "
			      "device twice.\n"
			      "A page belongs to the group that touched it first: what is cached "
			      "already is found there, "
			      "so put drop_caches before the first read. Files that a workload "
			      "lays out are written in the "
			      "group, those of setup steps are not.\n"
			      "I/O limits are of the whole disk under the trial's device. Version "
			      "1 holds up direct I/O and "
			      "reads only, version 2 what is written back as well, where the file "
			      "system supports it.\n"
			      "A limit that is too low ends the workload: a warning says that the "
			      "kernel killed it.",
	       FST_PARAMS(cgroup_params), .cfg_size = sizeof(struct cgroup_cfg),
	       .flags = FST_NEEDS_ROOT | FST_VOLATILE, .probe = cgroup_probe, .check = cgroup_check,
	       .estimate = cgroup_estimate, .apply = cgroup_apply, .revert = cgroup_revert,
	       .readback = cgroup_readback);
