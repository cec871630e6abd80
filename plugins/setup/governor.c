/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sets the governor of the processors' frequency, of all of them alike. */
#include <dirent.h>
#include <stdlib.h>

#include <fstrial/plugin.h>

#include "sysfs_value.h"

/* Unit tests have a directory of their own. One policy is for the processors whose frequency is one. */
#ifndef GOVERNOR_ROOT
#define GOVERNOR_ROOT "/sys/devices/system/cpu/cpufreq"
#endif

#define GOVERNOR_FILE "scaling_governor"
#define GOVERNOR_MAX 512
#define GOVERNOR_NAME_MAX 32

struct governor_cfg {
	const char *governor;
};

struct governor_policies {
	char v[GOVERNOR_MAX][GOVERNOR_NAME_MAX]; /* "policy0/scaling_governor" */
	size_t n;
};

static const struct fst_param governor_params[] = {
	{ .name = "governor",
	  .type = FST_STR,
	  FST_AT(struct governor_cfg, governor),
	  .def = "performance",
	  .doc = "Governor of all processors, as in scaling_available_governors." },
};

static int governor_by_number(const void *a, const void *b)
{
	unsigned long x = strtoul((const char *)a + strlen("policy"), NULL, 10);
	unsigned long y = strtoul((const char *)b + strlen("policy"), NULL, 10);

	return x < y ? -1 : x > y;
}

static void governor_list(struct governor_policies *p)
{
	DIR *dir = opendir(GOVERNOR_ROOT);
	struct dirent *e;
	int n;

	p->n = 0;
	while (dir && p->n < GOVERNOR_MAX && (e = readdir(dir)) != NULL) {
		if (strncmp(e->d_name, "policy", strlen("policy")) != 0)
			continue;
		n = snprintf(p->v[p->n], GOVERNOR_NAME_MAX, "%.12s/" GOVERNOR_FILE, e->d_name);
		p->n += n > 0 && n < GOVERNOR_NAME_MAX;
	}
	if (dir)
		closedir(dir);
	qsort(p->v, p->n, GOVERNOR_NAME_MAX, governor_by_number);
}

static int governor_probe(struct fst_ctx *ctx)
{
	struct governor_policies *p = ctx->state;

	governor_list(p);
	if (p->n == 0)
		return fst_error(ctx, EOPNOTSUPP,
				 "the kernel governs no frequency here (nothing in %s)",
				 GOVERNOR_ROOT);
	return 0;
}

static int governor_refused(struct fst_ctx *ctx, int err, const char *policy, const char *value)
{
	char name[128], offer[SYSFS_VALUE_MAX] = "";

	snprintf(name, sizeof(name), "%.*s/scaling_available_governors", (int)strcspn(policy, "/"),
		 policy);
	if (err == EINVAL && sysfs_value_read(GOVERNOR_ROOT, name, offer, sizeof(offer)) == 0)
		return fst_error(ctx, err, "governor = %s: the kernel offers %s", value, offer);
	return fst_error(ctx, err, "write %s to %s/%s", value, GOVERNOR_ROOT, policy);
}

static int governor_set(struct fst_ctx *ctx, const char *policy, const char *value)
{
	char old[SYSFS_VALUE_MAX];
	int r = sysfs_value_read(GOVERNOR_ROOT, policy, old, sizeof(old));

	if (r < 0)
		return fst_error(ctx, -r, "read %s/%s", GOVERNOR_ROOT, policy);
	r = fst_save(ctx, policy, old);
	if (r < 0)
		return r;
	r = sysfs_value_write(GOVERNOR_ROOT, policy, value);
	return r < 0 ? governor_refused(ctx, -r, policy, value) : 0;
}

static int governor_apply(struct fst_ctx *ctx)
{
	const struct governor_cfg *cfg = ctx->cfg;
	struct governor_policies *p = ctx->state;
	size_t i;
	int r = 0;

	governor_list(p);
	fst_asked(ctx, "governor", cfg->governor, 0);
	for (i = 0; i < p->n && r == 0; i++)
		r = governor_set(ctx, p->v[i], cfg->governor);
	return r;
}

/* One word when all have the same, else the first that has another: "powersave (policy3)". */
static int governor_readback(struct fst_ctx *ctx)
{
	const struct governor_cfg *cfg = ctx->cfg;
	struct governor_policies *p = ctx->state;
	char now[SYSFS_VALUE_MAX], text[SYSFS_VALUE_MAX + GOVERNOR_NAME_MAX + 8];
	size_t i;

	governor_list(p);
	for (i = 0; i < p->n; i++) {
		if (sysfs_value_read(GOVERNOR_ROOT, p->v[i], now, sizeof(now)) < 0)
			continue; /* its processors went offline */
		snprintf(text, sizeof(text), "%s", now);
		if (strcmp(now, cfg->governor) != 0) {
			snprintf(text, sizeof(text), "%s (%.*s)", now, (int)strcspn(p->v[i], "/"),
				 p->v[i]);
			fst_in_force(ctx, "governor", text);
			return 0;
		}
	}
	if (p->n)
		fst_in_force(ctx, "governor", cfg->governor);
	return 0;
}

static int governor_restore(struct fst_ctx *ctx, const char *key, const char *value, void *arg)
{
	(void)value;
	(void)arg;
	return sysfs_value_restore(ctx, GOVERNOR_ROOT, key, fst_saved(ctx, key));
}

static int governor_revert(struct fst_ctx *ctx)
{
	return fst_saved_each(ctx, governor_restore, NULL);
}

static int governor_estimate(struct fst_ctx *ctx, struct fst_estimate *est)
{
	const struct governor_cfg *cfg = ctx->cfg;

	(void)est;
	fst_plan(ctx, NULL, "sets the frequency governor of all processors to %s", cfg->governor);
	return 0;
}

FSTRIAL_PLUGIN(.kind = FST_SETUP, .name = "governor", .version = "1",
	       .summary = "sets the governor of the processors' frequency",
	       .description =
		       "Writes scaling_governor of every frequency policy, and puts the old ones "
		       "back. With a governor that lowers the frequency of idle processors the "
		       "latency of a single I/O is that of waking them up.\n"
		       "Skipped where the kernel governs no frequency, as in most virtual "
		       "machines.",
	       FST_PARAMS(governor_params), .cfg_size = sizeof(struct governor_cfg),
	       .state_size = sizeof(struct governor_policies),
	       .flags = FST_NEEDS_ROOT | FST_VOLATILE, .probe = governor_probe,
	       .estimate = governor_estimate, .apply = governor_apply, .revert = governor_revert,
	       .readback = governor_readback);
