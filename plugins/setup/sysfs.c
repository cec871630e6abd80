/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sets values of the target's block queue, in the order that the kernel needs. */
#include <dirent.h>
#include <stdlib.h>

#include <fstrial/plugin.h>

#include "sysfs_plan.h"
#include "sysfs_refused.h"

#define SYSFS_MAX_SAVED 128

/* What a write to one of the others may change as well: kept and reported in any case. */
static const char *const sysfs_linked[] = {
	SYSFS_SCHEDULER,     "queue/nr_requests",  "queue/max_sectors_kb", "queue/rotational",
	"queue/write_cache", "queue/wbt_lat_usec", "queue/read_ahead_kb",
};

static bool sysfs_is_linked(const char *name)
{
	size_t i;

	for (i = 0; i < FST_COUNT(sysfs_linked); i++)
		if (strcmp(sysfs_linked[i], name) == 0)
			return true;
	return false;
}

static int sysfs_estimate(struct fst_ctx *ctx, struct fst_estimate *est)
{
	const struct sysfs_state *st = ctx->state;
	size_t i;
	int r = sysfs_plan(ctx);

	(void)est;
	for (i = 0; i < st->n && r == 0; i++)
		fst_plan(ctx, st->v[i].name, "%s", st->v[i].value);
	return r;
}

/* ---- apply ----------------------------------------------------------------------------------- */

/*
 * The kernel shows the device's own limit of discards, but takes only whole granules: a limit that is none (a loop
 * device with sectors smaller than its file's blocks has one) is gone once another was written.
 */
static int sysfs_keep_discard(struct fst_ctx *ctx, const char *old)
{
	char grain[SYSFS_VALUE_MAX];
	unsigned long long g;

	if (sysfs_value_read(ctx->sysfs, "queue/discard_granularity", grain, sizeof(grain)) < 0)
		return 0;
	g = strtoull(grain, NULL, 10);
	if (!g || strtoull(old, NULL, 10) % g == 0)
		return 0;
	return fst_error(ctx, 0,
			 "discard_max_bytes is %s, no multiple of discard_granularity, %llu: the "
			 "kernel shows it "
			 "but does not take it, so it could not be put back",
			 old, g);
}

/* `must`: it will be written, so there has to be a value to put back. */
static int sysfs_keep(struct fst_ctx *ctx, const char *name, bool must)
{
	char old[SYSFS_VALUE_MAX];
	int r = sysfs_value_get(ctx->sysfs, name, old, sizeof(old));

	if (r == -EINVAL && strcmp(name, "queue/wbt_lat_usec") == 0)
		return must ? fst_save(ctx, name, "0") : 0; /* throttling never was on */
	if (r == 0 && strcmp(name, SYSFS_DISCARD) == 0 && sysfs_keep_discard(ctx, old) < 0)
		return -EINVAL;
	if (r == 0)
		return fst_save(ctx, name, old);
	if (!must)
		return 0;
	return r == -ENOENT
		       ? sysfs_refused(ctx, ENOENT, name, "...")
		       : fst_error(ctx, -r, "%s cannot be read, so it could not be put back", name);
}

/* A switch of the scheduler throws away the values under queue/iosched. */
static int sysfs_keep_iosched(struct fst_ctx *ctx)
{
	char path[SYSFS_VALUE_MAX], name[SYSFS_NAME_MAX];
	struct dirent *e;
	int r = 0;
	DIR *d;

	if (sysfs_value_path(path, sizeof(path), ctx->sysfs, "queue/iosched") < 0)
		return 0;
	d = opendir(path);
	if (!d)
		return 0;
	while (r == 0 && (e = readdir(d)) != NULL) {
		int n = snprintf(name, sizeof(name), "queue/iosched/%s", e->d_name);

		if (e->d_name[0] != '.' && n > 0 && (size_t)n < sizeof(name))
			r = sysfs_keep(ctx, name, false);
	}
	closedir(d);
	return r;
}

static bool sysfs_is_planned(const struct sysfs_state *st, const char *name)
{
	size_t i;

	for (i = 0; i < st->n; i++)
		if (strcmp(st->v[i].name, name) == 0)
			return true;
	return false;
}

/* Before the first write: everything that any of the writes can change. */
static int sysfs_keep_all(struct fst_ctx *ctx)
{
	const struct sysfs_state *st = ctx->state;
	bool switches = sysfs_is_planned(st, SYSFS_SCHEDULER);
	int r = sysfs_value_save_disk(ctx);
	size_t i;

	for (i = 0; i < FST_COUNT(sysfs_linked) && r == 0; i++)
		r = sysfs_keep(ctx, sysfs_linked[i], sysfs_is_planned(st, sysfs_linked[i]));
	if (r == 0 && switches)
		r = sysfs_keep_iosched(ctx);
	for (i = 0; i < st->n && r == 0; i++)
		if (!sysfs_is_linked(st->v[i].name) &&
		    !(switches && strncmp(st->v[i].name, "queue/iosched/", 14) == 0))
			r = sysfs_keep(ctx, st->v[i].name, true);
	return r;
}

/* Nothing is written when one of the values cannot be. */
static int sysfs_try_open(struct fst_ctx *ctx)
{
	const struct sysfs_state *st = ctx->state;
	char path[SYSFS_VALUE_MAX];
	size_t i;

	for (i = 0; i < st->n; i++) {
		const struct sysfs_setting *s = &st->v[i];
		int fd, r = sysfs_value_path(path, sizeof(path), ctx->sysfs, s->name);

		if (r == 0 && strncmp(s->name, "queue/iosched/", 14) == 0)
			continue; /* another scheduler may bring it */
		fd = r == 0 ? open(path, O_WRONLY | O_CLOEXEC) : -1;
		if (fd < 0)
			return sysfs_refused(ctx, r < 0 ? -r : errno, s->name, s->value);
		close(fd);
	}
	return 0;
}

static int sysfs_write_scheduler(struct fst_ctx *ctx, const char *list)
{
	char name[64];
	size_t len;
	int r;

	for (r = -EINVAL; *list && r == -EINVAL; list += len) {
		list += strspn(list, ", \t");
		len = strcspn(list, ", \t");
		if (len == 0)
			break;
		if (len >= sizeof(name))
			continue;
		memcpy(name, list, len);
		name[len] = '\0';
		r = sysfs_value_write(ctx->sysfs, SYSFS_SCHEDULER, name);
	}
	return r;
}

/*
 * What readback will have to find. Where the job leaves the choice to the kernel (a scheduler's
 * other name, a value that stands for the default) it is what the kernel made of it.
 */
static void sysfs_say_asked(struct fst_ctx *ctx, const struct sysfs_setting *s)
{
	bool open = strcmp(s->name, SYSFS_SCHEDULER) == 0 ||
		    (strcmp(s->name, "queue/wbt_lat_usec") == 0 && strcmp(s->value, "-1") == 0) ||
		    (strcmp(s->name, "queue/max_sectors_kb") == 0 && strcmp(s->value, "0") == 0);
	char now[SYSFS_VALUE_MAX];

	if (open && sysfs_value_get(ctx->sysfs, s->name, now, sizeof(now)) == 0)
		fst_asked(ctx, s->name, now, 0);
	else
		fst_asked(ctx, s->name, s->value, 0);
}

static int sysfs_apply(struct fst_ctx *ctx)
{
	const struct sysfs_state *st = ctx->state;
	int r = sysfs_plan(ctx);
	size_t i;

	if (r < 0 || st->n == 0)
		return r;
	if (!ctx->sysfs)
		return fst_error(ctx, 0, "the target has no block device with a queue");
	r = sysfs_try_open(ctx);
	if (r == 0)
		r = sysfs_keep_all(ctx);
	for (i = 0; i < st->n && r == 0; i++) {
		const struct sysfs_setting *s = &st->v[i];

		if (strcmp(s->name, SYSFS_SCHEDULER) == 0)
			r = sysfs_write_scheduler(ctx, s->value);
		else
			r = sysfs_value_write(ctx->sysfs, s->name, s->value);
		if (r < 0)
			return sysfs_refused(ctx, -r, s->name, s->value);
		sysfs_say_asked(ctx, s);
	}
	return r;
}

/* ---- revert, readback ------------------------------------------------------------------------ */

struct sysfs_saved {
	size_t n;
	const char *v[SYSFS_MAX_SAVED];
};

static int sysfs_collect(struct fst_ctx *ctx, const char *key, const char *value, void *arg)
{
	struct sysfs_saved *all = arg;
	size_t i;

	(void)ctx;
	(void)value;
	if (strncmp(key, "queue/", 6) != 0 && strncmp(key, "device/", 7) != 0)
		return 0;
	for (i = 0; i < all->n; i++)
		if (strcmp(all->v[i], key) == 0)
			return 0;
	if (all->n == SYSFS_MAX_SAVED)
		return -E2BIG;
	for (i = all->n++; i > 0 && sysfs_rank(all->v[i - 1]) > sysfs_rank(key); i--)
		all->v[i] = all->v[i - 1];
	all->v[i] = key;
	return 0;
}

/* All are tried, in the order of apply; the first that cannot be put back is told. */
static int sysfs_revert(struct fst_ctx *ctx)
{
	const char *dir = sysfs_value_saved_disk(ctx);
	struct sysfs_saved all = { .n = 0 };
	int r, first;
	size_t i;

	if (!dir)
		return 0;
	first = fst_saved_each(ctx, sysfs_collect, &all);
	for (i = 0; i < all.n; i++) {
		r = sysfs_value_restore(ctx, dir, all.v[i], fst_saved(ctx, all.v[i]));
		if (first == 0)
			first = r;
	}
	return first;
}

static void sysfs_say_in_force(struct fst_ctx *ctx, const char *name)
{
	char now[SYSFS_VALUE_MAX];

	if (sysfs_value_get(ctx->sysfs, name, now, sizeof(now)) == 0)
		fst_in_force(ctx, name, now);
}

static int sysfs_readback(struct fst_ctx *ctx)
{
	const struct sysfs_state *st = ctx->state;
	size_t i;
	int r = sysfs_plan(ctx);

	if (r < 0 || !ctx->sysfs)
		return r;
	for (i = 0; i < FST_COUNT(sysfs_linked); i++)
		sysfs_say_in_force(ctx, sysfs_linked[i]);
	for (i = 0; i < st->n; i++)
		if (!sysfs_is_linked(st->v[i].name))
			sysfs_say_in_force(ctx, st->v[i].name);
	return 0;
}

FSTRIAL_PLUGIN(.kind = FST_SETUP, .name = "sysfs", .version = "1",
	       .summary = "sets values of the target's block queue: scheduler, nr_requests, "
			  "limits, readahead",
	       .description =
		       "Writes values below /sys/block/DEVICE of the whole disk under the target. "
		       "Whatever the "
		       "order in the job, the scheduler comes first (it resets nr_requests), then "
		       "nr_requests, "
		       "then limits and the rest (they reset the readahead), read_ahead_kb last.\n"
		       "Before the first write everything that the writes can change is kept, and "
		       "put back afterwards in the same order.\n"
		       "Values that the kernel rounds or clamps without a word (nr_requests 2 "
		       "becomes 4, "
		       "max_sectors_kb ends at max_hw_sectors_kb) are warnings with both values.\n"
		       "Loop devices keep most of these values when they are detached: never trust "
		       "\"defaults\".",
	       FST_PARAMS(sysfs_params), .cfg_size = sizeof(struct sysfs_cfg),
	       .state_size = sizeof(struct sysfs_state),
	       .flags = FST_NEEDS_ROOT | FST_NEEDS_DEVICE | FST_VOLATILE, .check = sysfs_check,
	       .estimate = sysfs_estimate, .apply = sysfs_apply, .revert = sysfs_revert,
	       .readback = sysfs_readback);
