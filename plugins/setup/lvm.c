/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes a logical volume out of the target's devices; the trial goes on there. */
#include <errno.h>

#include <fstrial/plugin.h>

#include "block_module.h"
#include "lvm_facts.h"

enum lvm_sync { LVM_SYNC_WAIT = 0, LVM_SYNC_NONE = 1 };

static const struct fst_choice lvm_layouts[] = {
	{ "linear", LVM_LINEAR, "One device after the other." },
	{ "striped", LVM_STRIPED, "In turn over the devices, by dm-stripe." },
	{ "mirror", LVM_MIRROR, "The old mirror, by dm-mirror, with a log of what is equal." },
	{ "raid0", LVM_RAID0, "In turn over the devices, by the md driver." },
	{ "raid1", LVM_RAID1, "A mirror by the md driver." },
	{ "raid4", LVM_RAID4, "Stripes with parity on one device." },
	{ "raid5", LVM_RAID5, "Stripes with parity, which moves." },
	{ "raid6", LVM_RAID6, "Stripes with two parities; five devices." },
	{ "raid10", LVM_RAID10, "Stripes of mirrors." },
};

static const struct fst_choice lvm_log_choices[] = {
	{ "core", LVM_LOG_CORE, "In memory: all is made equal again after each activation." },
	{ "disk", LVM_LOG_DISK, "On a device: written before the first write to a region." },
	{ "mirrored", LVM_LOG_MIRRORED, "Twice, on two devices." },
};

static const struct fst_choice lvm_syncs[] = {
	{ "wait", LVM_SYNC_WAIT, "Until all is equal." },
	{ "none", LVM_SYNC_NONE, "Not at all: the background work is part of what is measured." },
};

#define LVM_PARAM(n, t) .name = #n, .type = (t), FST_AT(struct lvm_cfg, n)

static const struct fst_param lvm_params[] = {
	{ LVM_PARAM(layout, FST_ENUM), .alias = "type", .flags = FST_REQUIRED,
	  FST_CHOICES(lvm_layouts), .doc = "How data lies on the devices." },
	{ LVM_PARAM(devices, FST_LIST),
	  .doc = "Which devices, as [\"target.1\", \"target.2\"]; all of the target's when not "
		 "given, or the one that "
		 "a step before made." },
	{ LVM_PARAM(stripes, FST_U64), .min = "1", .unit = "devices",
	  .doc = "Devices with data in one stripe; as many as there are when not given." },
	{ LVM_PARAM(stripe_size, FST_SIZE), .alias = "stripesize",
	  .doc = "What one device gets in a row (its chunk); 64KiB by default of the tool." },
	{ LVM_PARAM(mirrors, FST_U64), .min = "1", .unit = "copies",
	  .doc = "Copies besides the first; 1 when not given." },
	{ LVM_PARAM(mirror_log, FST_ENUM), .alias = "mirrorlog", .def = "disk",
	  FST_CHOICES(lvm_log_choices),
	  .doc = "mirror: where it is kept which regions are equal." },
	{ LVM_PARAM(nosync, FST_BOOL), .def = "false",
	  .doc = "Take the devices as equal without making them so; what was not written reads "
		 "differently." },
	{ LVM_PARAM(region_size, FST_SIZE), .alias = "regionsize",
	  .doc = "What is marked as one in the log: a power of 2." },
	{ LVM_PARAM(extent_size, FST_SIZE), .alias = "physicalextentsize",
	  .doc = "The unit that volumes are made of; 4MiB by default of the tool." },
	{ LVM_PARAM(metadata_size, FST_SIZE), .alias = "metadatasize",
	  .doc = "Room for metadata in front of the data; the tool makes it larger to align the "
		 "data." },
	{ LVM_PARAM(data_alignment, FST_SIZE), .alias = "dataalignment",
	  .doc = "Data begins at a multiple of this on each device; 1MiB by default of the tool." },
	{ LVM_PARAM(data_alignment_offset, FST_SIZE), .alias = "dataalignmentoffset",
	  .doc = "And by so much behind that." },
	{ LVM_PARAM(size, FST_SIZE),
	  .doc = "The volume's size, whole extents; all that is free when not given." },
	{ LVM_PARAM(sync, FST_ENUM), .def = "wait", FST_CHOICES(lvm_syncs),
	  .doc = "Whether the trial begins when all copies and parities are equal." },
	{ LVM_PARAM(sync_timeout, FST_TIME), .def = "30m",
	  .doc = "With sync = wait: when it takes longer than this, the step fails." },
};

static const struct fst_tool lvm_tools[] = {
	{ "lvm", "version", "lvm2" },
	{ "dmsetup", "--version", "dmsetup" },
};

/* Parameters that have a meaning for some layouts only. */
static const struct {
	const char *param;
	unsigned int has;
} lvm_needs[] = {
	{ "stripes", LVM_HAS_STRIPES },	  { "stripe_size", LVM_HAS_STRIPES },
	{ "mirrors", LVM_HAS_MIRRORS },	  { "mirror_log", LVM_HAS_LOG },
	{ "nosync", LVM_HAS_SYNC },	  { "region_size", LVM_HAS_SYNC },
	{ "sync_timeout", LVM_HAS_SYNC },
};

/* ---- probe, check, estimate -------------------------------------------------------------------- */

static int lvm_probe(struct fst_ctx *ctx)
{
	const struct lvm_cfg *cfg = ctx->cfg;
	int r = block_need_tool(ctx, "lvm", "lvm2");

	if (r == 0)
		r = block_need_tool(ctx, "dmsetup", "dmsetup");
	if (r == 0 && !block_file_has_word("/proc/misc", "device-mapper"))
		r = block_need_module(ctx, "dm-mod");
	if (r == 0 && lvm_kinds[cfg->layout].module)
		r = block_need_module(ctx, lvm_kinds[cfg->layout].module);
	return r;
}

static bool lvm_is_power(uint64_t n)
{
	return (n & (n - 1)) == 0;
}

static int lvm_check_sizes(struct fst_ctx *ctx, const struct lvm_cfg *cfg)
{
	const struct {
		const char *name;
		uint64_t value;
		bool power;
	} sizes[] = {
		{ "stripe_size", cfg->stripe_size, true },
		{ "region_size", cfg->region_size, true },
		{ "extent_size", cfg->extent_size, false },
		{ "metadata_size", cfg->metadata_size, false },
		{ "data_alignment", cfg->data_alignment, false },
		{ "data_alignment_offset", cfg->data_alignment_offset, false },
		{ "size", cfg->size, false },
	};
	size_t i;

	for (i = 0; i < FST_COUNT(sizes); i++) {
		if (sizes[i].value % 512)
			return fst_error(ctx, 0, "%s is not a multiple of 512 bytes",
					 sizes[i].name);
		if (sizes[i].power &&
		    (!lvm_is_power(sizes[i].value) || (sizes[i].value && sizes[i].value < 4096)))
			return fst_error(ctx, 0, "%s is not a power of 2, 4KiB or more",
					 sizes[i].name);
		if (!sizes[i].value && fst_is_set(ctx, sizes[i].name) && i != 5)
			return fst_error(ctx, 0, "%s is 0", sizes[i].name);
	}
	return 0;
}

static int lvm_check(struct fst_ctx *ctx)
{
	const struct lvm_cfg *cfg = ctx->cfg;
	const struct lvm_kind *k = &lvm_kinds[cfg->layout];
	size_t i;
	int r;

	for (i = 0; i < FST_COUNT(lvm_needs); i++)
		if (!(k->has & lvm_needs[i].has) && fst_is_set(ctx, lvm_needs[i].param))
			return fst_error(ctx, 0, "%s has no meaning with layout = %s",
					 lvm_needs[i].param, k->name);
	if (cfg->nosync &&
	    (cfg->layout == LVM_RAID6 || cfg->layout == LVM_RAID5 || cfg->layout == LVM_RAID4))
		return fst_error(ctx, 0, "nosync: with layout = %s parity would be wrong", k->name);
	r = lvm_check_sizes(ctx, cfg);
	return r < 0 ? r : block_members_claim(ctx, &cfg->devices);
}

static int lvm_estimate(struct fst_ctx *ctx, struct fst_estimate *est)
{
	const struct lvm_cfg *cfg = ctx->cfg;
	const struct lvm_kind *k = &lvm_kinds[cfg->layout];
	const char *count = fst_fact(ctx, "target.count"), *size = fst_fact(ctx, "target.size");
	unsigned long n = cfg->devices.n ? cfg->devices.n : count ? strtoul(count, NULL, 10) : 0;

	fst_plan(ctx, NULL, "makes a volume group and a %s volume on %s", k->name,
		 cfg->devices.n ? "the devices named" : "all devices of the target");
	/* a step before may make one device out of them, and then lvm says it */
	if (n && n < k->least)
		fst_warning(ctx, "layout = %s needs %u devices, the target has %lu", k->name,
			    k->least, n);
	est->time_ns = 1000000000;
	if ((k->has & LVM_HAS_SYNC) && cfg->sync == LVM_SYNC_WAIT && !cfg->nosync && size)
		est->bytes_written = cfg->size ? cfg->size : strtoull(size, NULL, 10);
	return 0;
}

/* ---- apply ------------------------------------------------------------------------------------- */

static int lvm_say_asked(struct fst_ctx *ctx, const struct lvm_cfg *cfg, size_t devices)
{
	const struct lvm_kind *k = &lvm_kinds[cfg->layout];
	const struct {
		const char *key;
		uint64_t value;
	} sizes[] = {
		{ "stripe_size", cfg->stripe_size },
		{ "region_size", cfg->region_size },
		{ "extent_size", cfg->extent_size },
		{ "metadata_size", cfg->metadata_size },
		{ "size", cfg->size },
	};
	size_t i;

	fst_asked(ctx, "layout", k->name, FST_MUST);
	for (i = 0; i < FST_COUNT(sizes); i++)
		if (sizes[i].value)
			block_ask_number(ctx, sizes[i].key, sizes[i].value);
	if (k->has & LVM_HAS_STRIPES)
		block_ask_number(ctx, "stripes", lvm_stripes(cfg, devices));
	if (k->has & LVM_HAS_MIRRORS)
		block_ask_number(ctx, "mirrors", lvm_mirrors(cfg));
	if (k->has & LVM_HAS_LOG)
		fst_asked(ctx, "mirror_log", lvm_logs[cfg->mirror_log], FST_MUST);
	if (devices < k->least)
		return fst_error(ctx, 0, "layout = %s needs %u devices, here %s %zu", k->name,
				 k->least, devices == 1 ? "is" : "are", devices);
	return 0;
}

/* All facts before the first change. */
static int lvm_save(struct fst_ctx *ctx, struct lvm_saved *s, char *vg, size_t size)
{
	char fact[LVM_UUID_TEXT + BLOCK_PATH_MAX];
	size_t i;
	int r = block_new_name(ctx, LVM_PREFIX, vg, size);

	if (r == 0)
		r = fst_save(ctx, "vg", vg);
	for (i = 0; i < s->members.n && r == 0; i++) {
		r = lvm_new_uuid(ctx, s->uuids[i]);
		snprintf(fact, sizeof(fact), "%s %s", s->uuids[i], s->members.v[i]);
		if (r == 0)
			r = block_disk_save(ctx, s->members.v[i]);
		if (r == 0)
			r = fst_save(ctx, "pv", fact);
	}
	s->vg = vg;
	return r;
}

static int lvm_make(struct fst_ctx *ctx, const struct lvm_cfg *cfg, const struct lvm_saved *s)
{
	struct block_args a;
	size_t i;
	int r = 0;

	for (i = 0; i < s->members.n && r == 0; i++) {
		lvm_build_pvcreate(&a, cfg, &s->members, i, s->uuids[i]);
		r = block_run(ctx, &a, NULL);
	}
	if (r < 0)
		return r;
	lvm_build_vgcreate(&a, cfg, &s->members, s->vg);
	r = block_run(ctx, &a, NULL);
	if (r < 0)
		return r;
	lvm_build_lvcreate(&a, cfg, &s->members, s->vg);
	block_note_command(ctx, &a);
	return block_run(ctx, &a, NULL);
}

static int lvm_wait_sync(struct fst_ctx *ctx, const struct lvm_cfg *cfg, const struct lvm_saved *s)
{
	uint64_t end = fst_now(ctx) + cfg->sync_timeout;
	double percent;
	int r;

	while ((r = lvm_synced(ctx, s, &percent)) == 0 && percent < 100) {
		if (fst_now(ctx) > end)
			return fst_error(ctx, ETIMEDOUT,
					 "only %.1f %% of the volume are equal after sync_timeout",
					 percent);
		block_pause();
	}
	return r;
}

static int lvm_apply(struct fst_ctx *ctx)
{
	const struct lvm_cfg *cfg = ctx->cfg;
	struct lvm_saved s = { .vg = NULL };
	char vg[64], path[128];
	int r = block_members_find(ctx, &cfg->devices, &s.members);

	if (r == 0)
		r = lvm_say_asked(ctx, cfg, s.members.n);
	if (r == 0)
		r = lvm_save(ctx, &s, vg, sizeof(vg));
	if (r == 0)
		r = lvm_make(ctx, cfg, &s);
	if (r == 0 && (lvm_kinds[cfg->layout].has & LVM_HAS_SYNC) && cfg->sync == LVM_SYNC_WAIT)
		r = lvm_wait_sync(ctx, cfg, &s);
	if (r < 0)
		return r;
	snprintf(path, sizeof(path), "/dev/mapper/%s-%s", vg, LVM_VOLUME);
	return fst_set_device(ctx, path);
}

/* ---- readback, revert -------------------------------------------------------------------------- */

static int lvm_readback(struct fst_ctx *ctx)
{
	const struct lvm_cfg *cfg = ctx->cfg;
	struct lvm_saved s;
	char path[160];
	int r = lvm_get_saved(ctx, &s);

	if (r < 0 || !s.vg)
		return r;
	r = lvm_say_volumes(ctx, &s, lvm_kinds[cfg->layout].has);
	if (r == 0)
		r = lvm_say_devices(ctx, &s);
	snprintf(path, sizeof(path), "/dev/mapper/%.100s-%s", s.vg, LVM_VOLUME);
	block_say_limits(ctx, path);
	return r;
}

FSTRIAL_PLUGIN(.kind = FST_SETUP, .name = "lvm", .version = "1",
	       .summary = "makes a logical volume out of the target's devices; the steps that "
			  "follow work on it",
	       .description = "Makes each device a physical volume, a volume group of them and one "
			      "volume, with names of their "
			      "own. All on the devices is lost. Afterwards volume, group and "
			      "labels are taken away again, each "
			      "only when it carries what this step wrote.\n"
			      "Only the devices in question are looked at, whatever else is in the "
			      "machine; nothing is written to "
			      "/etc/lvm and no daemon is started.\n"
			      "A mirror begins with making its copies equal, which slows "
			      "everything down until it is done: "
			      "sync = \"wait\" waits for it, nosync = true leaves it out.\n"
			      "mirror_log = \"disk\" writes to the log device before the first "
			      "write to each region; "
			      "region_size says how large these are.\n"
			      "Sizes are in bytes: what the tool rounds (the size to whole "
			      "extents, the metadata up to the data's "
			      "alignment) is a warning with both values.\n"
			      "The step is skipped where the kernel has no device mapper or lvm2 "
			      "is not installed.",
	       FST_PARAMS(lvm_params), FST_TOOLS(lvm_tools), .cfg_size = sizeof(struct lvm_cfg),
	       .flags = FST_NEEDS_ROOT | FST_NEEDS_DEVICE | FST_DESTROYS_DEVICE |
			FST_PROVIDES_DEVICE,
	       .probe = lvm_probe, .check = lvm_check, .estimate = lvm_estimate, .apply = lvm_apply,
	       .readback = lvm_readback, .revert = lvm_undo);
