/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Waits until what works in the background has come to its end. */
#include <inttypes.h>
#include <time.h>

#include <fstrial/plugin.h>

#include "settle_disks.h"
#include "settle_ext4.h"

#ifndef SETTLE_MEMINFO
#define SETTLE_MEMINFO "/proc/meminfo"
#endif

#define SETTLE_TICK_NS 50000000L
#define SETTLE_TEXT_MAX 160

struct settle_cfg {
	bool lazy_init;
	bool sync;
	uint64_t idle;
	uint64_t dirty;
	uint64_t within;
};

struct settle_state {
	struct settle_disks disks;
	uint64_t quiet_from_ns; /* since when no disk did anything */
};

static const struct fst_param settle_params[] = {
	{ .name = "lazy_init",
	  .type = FST_BOOL,
	  FST_AT(struct settle_cfg, lazy_init),
	  .def = "true",
	  .doc = "Wait for ext4 to initialise the inode tables that mkfs has left out." },
	{ .name = "sync",
	  .type = FST_BOOL,
	  FST_AT(struct settle_cfg, sync),
	  .def = "true",
	  .doc = "Wait for md arrays under the device to be in sync." },
	{ .name = "idle",
	  .type = FST_TIME,
	  FST_AT(struct settle_cfg, idle),
	  .def = "1s",
	  .doc = "Wait until device and disks under it had no I/O for this time; 0: do not." },
	{ .name = "dirty",
	  .type = FST_SIZE,
	  FST_AT(struct settle_cfg, dirty),
	  .doc = "Wait until less than this is dirty or being written back, on the whole "
		 "machine." },
	{ .name = "within",
	  .type = FST_TIME,
	  FST_AT(struct settle_cfg, within),
	  .def = "600s",
	  .min = "1ms",
	  .doc = "How long it may take: then the step has failed, and says what is still busy." },
};

static void settle_lazy_init(struct fst_ctx *ctx, char *busy, size_t size)
{
	struct settle_ext4 e;

	busy[0] = '\0';
	if (settle_ext4_read(ctx->device, &e) && e.left)
		snprintf(busy, size,
			 "ext4 initialises inode tables, %" PRIu64 " of %" PRIu64 " left", e.left,
			 e.groups);
}

static void settle_sync(struct fst_ctx *ctx, char *busy, size_t size)
{
	const struct settle_state *st = ctx->state;

	settle_disks_sync(&st->disks, busy, size);
}

static void settle_idle(struct fst_ctx *ctx, char *busy, size_t size)
{
	const struct settle_cfg *cfg = ctx->cfg;
	struct settle_state *st = ctx->state;
	const char *active = settle_disks_active(&st->disks);
	uint64_t now = fst_now(ctx);

	busy[0] = '\0';
	if (active || !st->quiet_from_ns)
		st->quiet_from_ns = now;
	if (now - st->quiet_from_ns < cfg->idle)
		snprintf(busy, size, "%s has I/O",
			 active	       ? active
			 : st->disks.n ? st->disks.v[0].name
				       : "?");
}

static void settle_dirty(struct fst_ctx *ctx, char *busy, size_t size)
{
	const struct settle_cfg *cfg = ctx->cfg;
	uint64_t kib, sum = 0;
	char line[128];
	FILE *f = fopen(SETTLE_MEMINFO, "re");

	busy[0] = '\0';
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "Dirty: %" SCNu64, &kib) == 1 ||
		    sscanf(line, "Writeback: %" SCNu64, &kib) == 1)
			sum += kib * 1024;
	if (f)
		fclose(f);
	if (sum >= cfg->dirty)
		snprintf(busy, size, "%" PRIu64 " bytes are dirty or being written back", sum);
}

/* What is waited for, and whether it was asked for. */
static const struct settle_item {
	const char *name;
	void (*look)(struct fst_ctx *ctx, char *busy, size_t size);
} settle_items[] = {
	{ "lazy_init", settle_lazy_init },
	{ "sync", settle_sync },
	{ "dirty", settle_dirty },
	{ "idle", settle_idle },
};

static bool settle_wants(const struct fst_ctx *ctx, const struct settle_item *item)
{
	const struct settle_cfg *cfg = ctx->cfg;

	if (item->look == settle_lazy_init)
		return cfg->lazy_init;
	if (item->look == settle_sync)
		return cfg->sync;
	return item->look == settle_idle ? cfg->idle > 0 : cfg->dirty > 0;
}

/* "a; b" of everything that is busy, "" when nothing is. */
static void settle_look(struct fst_ctx *ctx, char *text, size_t size)
{
	char busy[SETTLE_TEXT_MAX];
	size_t i, n = 0;

	text[0] = '\0';
	for (i = 0; i < FST_COUNT(settle_items); i++) {
		if (!settle_wants(ctx, &settle_items[i]))
			continue;
		settle_items[i].look(ctx, busy, sizeof(busy));
		if (busy[0] && n < size)
			n += (size_t)snprintf(text + n, size - n, "%s%s", n ? "; " : "", busy);
	}
}

static int settle_check(struct fst_ctx *ctx)
{
	const struct settle_cfg *cfg = ctx->cfg;

	if (!cfg->lazy_init && !cfg->sync && !cfg->idle && !cfg->dirty)
		return fst_error(ctx, 0, "there is nothing to wait for");
	if (cfg->idle > cfg->within)
		return fst_error(ctx, 0, "idle is longer than within: it would never be reached");
	return 0;
}

static int settle_apply(struct fst_ctx *ctx)
{
	const struct timespec tick = { .tv_nsec = SETTLE_TICK_NS };
	const struct settle_cfg *cfg = ctx->cfg;
	struct settle_state *st = ctx->state;
	char text[4 * SETTLE_TEXT_MAX], first[sizeof(text)] = "";
	uint64_t begin = fst_now(ctx);

	settle_disks_find(&st->disks, ctx->sysfs);
	for (settle_look(ctx, text, sizeof(text)); text[0]; settle_look(ctx, text, sizeof(text))) {
		if (!first[0])
			memcpy(first, text, sizeof(first));
		if (fst_now(ctx) - begin >= cfg->within)
			return fst_error(ctx, ETIMEDOUT, "still busy: %s", text);
		nanosleep(&tick, NULL);
	}
	if (first[0])
		fst_note(ctx, "was_busy", first);
	snprintf(text, sizeof(text), "%" PRIu64, fst_now(ctx) - begin);
	fst_note(ctx, "waited_ns", text);
	return 0;
}

static int settle_estimate(struct fst_ctx *ctx, struct fst_estimate *est)
{
	const struct settle_cfg *cfg = ctx->cfg;

	est->time_ns = cfg->idle ? cfg->idle : 1;
	return 0;
}

FSTRIAL_PLUGIN(.kind = FST_SETUP, .name = "settle", .version = "1",
	       .summary = "waits until background work on the device has ended",
	       .description = "Waits for what would otherwise run beside the first workload: the "
			      "inode tables that ext4 "
			      "initialises after the mount (counted in its group descriptors), md "
			      "arrays that are being "
			      "built up, and any I/O on the device and the disks that it stands "
			      "on. With `dirty` also "
			      "for the machine's page cache to be written back.\n"
			      "What is still busy when the time is over is named, and the step has "
			      "failed. How long it "
			      "took is in the notes.",
	       FST_PARAMS(settle_params), .cfg_size = sizeof(struct settle_cfg),
	       .state_size = sizeof(struct settle_state),
	       .flags = FST_NEEDS_DEVICE | FST_NEEDS_ROOT, .check = settle_check,
	       .estimate = settle_estimate, .apply = settle_apply);
