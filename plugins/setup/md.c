/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes an md array out of the target's devices; the trial goes on there. */
#include <errno.h>

#include <fstrial/plugin.h>

#include "block_module.h"
#include "md_facts.h"

enum md_sync { MD_SYNC_WAIT = 0, MD_SYNC_NONE = 1 };

static const struct fst_choice md_levels[] = {
	{ "linear", MD_LINEAR, "One device after the other; gone since Linux 6.8." },
	{ "raid0", MD_RAID0, "In turn over the devices." },
	{ "raid1", MD_RAID1, "Each device has all." },
	{ "raid4", MD_RAID4, "Stripes with parity on one device." },
	{ "raid5", MD_RAID5, "Stripes with parity, which moves." },
	{ "raid6", MD_RAID6, "Stripes with two parities." },
	{ "raid10", MD_RAID10, "Copies and stripes in one." },
	{ "0", MD_RAID0, "raid0" },
	{ "1", MD_RAID1, "raid1" },
	{ "4", MD_RAID4, "raid4" },
	{ "5", MD_RAID5, "raid5" },
	{ "6", MD_RAID6, "raid6" },
	{ "10", MD_RAID10, "raid10" },
};

static const struct fst_choice md_bitmaps[] = {
	{ "none", MD_BITMAP_NONE, "Without: after a crash all is compared again." },
	{ "internal", MD_BITMAP_INTERNAL,
	  "On the devices: written before the first write to a region." },
};

static const struct fst_choice md_syncs[] = {
	{ "wait", MD_SYNC_WAIT, "Until all is equal." },
	{ "none", MD_SYNC_NONE, "Not at all: the background work is part of what is measured." },
};

#define MD_PARAM(n, t) .name = #n, .type = (t), FST_AT(struct md_cfg, n)

static const struct fst_param md_params[] = {
	{ MD_PARAM(level, FST_ENUM), .flags = FST_REQUIRED, FST_CHOICES(md_levels),
	  .doc = "How data lies on the devices; \"raid5\" or \"5\"." },
	{ MD_PARAM(devices, FST_LIST), .doc = "Which devices, as [\"target.1\", \"target.2\"]; all "
					      "of the target's when not given, or the one that "
					      "a step before made." },
	{ MD_PARAM(chunk, FST_SIZE),
	  .doc = "What one device gets in a row; 512KiB by default of the tool." },
	{ MD_PARAM(metadata, FST_STR), .def = "1.2",
	  .doc = "Where and how the array is described on its devices: 0.90 and 1.0 at their end, "
		 "1.1 at their "
		 "beginning, 1.2 behind it." },
	{ MD_PARAM(layout, FST_STR), .doc = "raid5, raid6: left-symmetric and the like; raid10: "
					    "n2, f2, o2 (near, far, offset copies); raid0: "
					    "original, alternate." },
	{ MD_PARAM(bitmap, FST_ENUM), .def = "none", FST_CHOICES(md_bitmaps),
	  .doc = "Whether it is kept which regions may differ." },
	{ MD_PARAM(bitmap_chunk, FST_SIZE), .doc = "What one bit of the bitmap stands for." },
	{ MD_PARAM(spares, FST_U64), .def = "0", .unit = "devices",
	  .doc = "The last devices stand by." },
	{ MD_PARAM(write_mostly, FST_LIST),
	  .doc = "raid1: devices (\"target.2\") that are read only when there is no "
		 "other." },
	{ MD_PARAM(write_behind, FST_U64), .unit = "writes",
	  .doc = "raid1: so many writes to write_mostly devices may be outstanding; needs a "
		 "bitmap." },
	{ MD_PARAM(size, FST_SIZE), .doc = "What is used of each device; all when not given." },
	{ MD_PARAM(data_offset, FST_SIZE), .doc = "Where data begins on each device." },
	{ MD_PARAM(assume_clean, FST_BOOL), .def = "false",
	  .doc = "Take the devices as equal without making them so. Reads of what was not written "
		 "differ, and with "
		 "raid5 parity is wrong." },
	{ MD_PARAM(sync, FST_ENUM), .def = "wait", FST_CHOICES(md_syncs),
	  .doc = "Whether the trial begins when copies and parity are equal." },
	{ MD_PARAM(sync_timeout, FST_TIME), .def = "30m",
	  .doc = "With sync = wait: when it takes longer than this, the step fails." },
	{ MD_PARAM(sync_speed_min, FST_SIZE),
	  .doc = "Bytes a second of background work that are always granted." },
	{ MD_PARAM(sync_speed_max, FST_SIZE), .doc = "Bytes a second of background work at most." },
};

static const struct fst_tool md_tools[] = {
	{ "mdadm", "--version", "mdadm" },
};

static const struct {
	const char *param;
	unsigned int has;
} md_needs[] = {
	{ "chunk", MD_HAS_CHUNK },	   { "layout", MD_HAS_LAYOUT },
	{ "bitmap", MD_HAS_SYNC },	   { "bitmap_chunk", MD_HAS_SYNC },
	{ "spares", MD_HAS_SYNC },	   { "write_mostly", MD_HAS_COPIES },
	{ "write_behind", MD_HAS_COPIES }, { "assume_clean", MD_HAS_SYNC },
	{ "sync_timeout", MD_HAS_SYNC },   { "sync_speed_min", MD_HAS_SYNC },
	{ "sync_speed_max", MD_HAS_SYNC },
};

/* ---- probe, check, estimate -------------------------------------------------------------------- */

static int md_probe(struct fst_ctx *ctx)
{
	const struct md_cfg *cfg = ctx->cfg;
	const struct md_kind *k = &md_kinds[cfg->level];
	int r = block_need_tool(ctx, "mdadm", "mdadm");
	char word[32];

	/* "Personalities : [raid1] [raid6] ..." */
	snprintf(word, sizeof(word), "[%s]", k->name);
	if (r < 0 || block_file_mentions("/proc/mdstat", word))
		return r;
	if (!block_file_has_word("/proc/devices", "md"))
		r = block_need_module(ctx, "md-mod");
	return r < 0 ? r : block_need_module(ctx, k->module);
}

static int md_check_sizes(struct fst_ctx *ctx, const struct md_cfg *cfg)
{
	const struct {
		const char *name;
		uint64_t value;
		bool power;
	} sizes[] = {
		{ "chunk", cfg->chunk, cfg->level != MD_RAID0 },
		{ "bitmap_chunk", cfg->bitmap_chunk, true },
		{ "size", cfg->size, false },
		{ "data_offset", cfg->data_offset, false },
		{ "sync_speed_min", cfg->sync_speed_min, false },
		{ "sync_speed_max", cfg->sync_speed_max, false },
	};
	size_t i;

	for (i = 0; i < FST_COUNT(sizes); i++) {
		if (sizes[i].value % 1024)
			return fst_error(ctx, 0, "%s is not a multiple of 1KiB", sizes[i].name);
		if (!sizes[i].value && fst_is_set(ctx, sizes[i].name))
			return fst_error(ctx, 0, "%s is 0", sizes[i].name);
		if (sizes[i].power && (sizes[i].value & (sizes[i].value - 1)))
			return fst_error(ctx, 0, "%s is not a power of 2", sizes[i].name);
	}
	if (cfg->chunk && cfg->chunk < 4096)
		return fst_error(ctx, 0, "chunk is smaller than 4KiB");
	if (cfg->sync_speed_max && cfg->sync_speed_min > cfg->sync_speed_max)
		return fst_error(ctx, 0, "sync_speed_min is above sync_speed_max");
	return 0;
}

static int md_check_words(struct fst_ctx *ctx, const struct md_cfg *cfg)
{
	static const char *const versions[] = { "0.90", "1.0", "1.1", "1.2" };
	bool known = false;
	size_t i;

	for (i = 0; i < FST_COUNT(versions); i++)
		known |= strcmp(cfg->metadata, versions[i]) == 0;
	if (!known)
		return fst_error(ctx, 0, "metadata is 0.90, 1.0, 1.1 or 1.2, not %s",
				 cfg->metadata);
	if (cfg->layout &&
	    cfg->layout[strspn(cfg->layout, "abcdefghijklmnopqrstuvwxyz0123456789-")])
		return fst_error(ctx, 0, "layout: %s is none", cfg->layout);
	if (cfg->data_offset && cfg->metadata[0] == '0')
		return fst_error(ctx, 0, "data_offset: with metadata 0.90 data begins at 0");
	if (cfg->bitmap_chunk && cfg->bitmap == MD_BITMAP_NONE)
		return fst_error(ctx, 0, "bitmap_chunk needs bitmap = internal");
	if (cfg->write_behind && (cfg->bitmap == MD_BITMAP_NONE || !cfg->write_mostly.n))
		return fst_error(ctx, 0, "write_behind needs bitmap = internal and write_mostly");
	return 0;
}

static int md_check(struct fst_ctx *ctx)
{
	const struct md_cfg *cfg = ctx->cfg;
	const struct md_kind *k = &md_kinds[cfg->level];
	size_t i;
	int r;

	for (i = 0; i < FST_COUNT(md_needs); i++)
		if (!(k->has & md_needs[i].has) && fst_is_set(ctx, md_needs[i].param))
			return fst_error(ctx, 0, "%s has no meaning with level = %s",
					 md_needs[i].param, k->name);
	r = md_check_sizes(ctx, cfg);
	if (r == 0)
		r = md_check_words(ctx, cfg);
	return r < 0 ? r : block_members_claim(ctx, &cfg->devices);
}

static int md_estimate(struct fst_ctx *ctx, struct fst_estimate *est)
{
	const struct md_cfg *cfg = ctx->cfg;
	const struct md_kind *k = &md_kinds[cfg->level];
	const char *count = fst_fact(ctx, "target.count"), *size = fst_fact(ctx, "target.size");
	unsigned long n = cfg->devices.n ? cfg->devices.n : count ? strtoul(count, NULL, 10) : 0;

	fst_plan(ctx, NULL, "makes a %s array of %s", k->name,
		 cfg->devices.n ? "the devices named" : "all devices of the target");
	if (n && n < k->least + cfg->spares)
		fst_warning(ctx, "level = %s needs %" PRIu64 " devices, the target has %lu",
			    k->name, k->least + cfg->spares, n);
	est->time_ns = 500000000;
	if ((k->has & MD_HAS_SYNC) && cfg->sync == MD_SYNC_WAIT && !cfg->assume_clean && size)
		est->bytes_written = cfg->size ? cfg->size : strtoull(size, NULL, 10);
	return 0;
}

/* ---- apply ------------------------------------------------------------------------------------- */

static int md_say_asked(struct fst_ctx *ctx, const struct md_cfg *cfg, size_t devices)
{
	const struct md_kind *k = &md_kinds[cfg->level];
	const struct {
		const char *key;
		uint64_t value;
	} sizes[] = {
		{ "chunk", cfg->chunk },
		{ "bitmap_chunk", cfg->bitmap_chunk },
		{ "size", cfg->size },
		{ "data_offset", cfg->data_offset },
		{ "sync_speed_min", cfg->sync_speed_min },
		{ "sync_speed_max", cfg->sync_speed_max },
		{ "write_mostly", cfg->write_mostly.n },
		{ "spares", cfg->spares },
	};
	size_t i;

	if (devices < k->least + cfg->spares)
		return fst_error(ctx, 0, "level = %s needs %" PRIu64 " devices, here %s %zu",
				 k->name, k->least + cfg->spares, devices == 1 ? "is" : "are",
				 devices);
	fst_asked(ctx, "level", k->name, FST_MUST);
	fst_asked(ctx, "metadata", cfg->metadata, 0);
	if (k->has & MD_HAS_SYNC)
		fst_asked(ctx, "bitmap", cfg->bitmap == MD_BITMAP_NONE ? "none" : "internal", 0);
	if ((k->has & MD_HAS_SYNC) && cfg->sync == MD_SYNC_WAIT)
		fst_asked(ctx, "sync_action", "idle", 0);
	for (i = 0; i < FST_COUNT(sizes); i++)
		if (sizes[i].value)
			block_ask_number(ctx, sizes[i].key, sizes[i].value);
	return 0;
}

/*
 * A name that no array has. Not left to mdadm, so that a device which it made and gave no array is known as ours.
 * By chance, so that two sessions at a time do not take the same; above those that mdadm takes by itself first.
 */
static int md_take_name(struct fst_ctx *ctx, uint32_t chance, char array[MD_ARRAY_TEXT])
{
	char path[96];
	unsigned int i;

	for (i = 0; i < MD_NUMBERS; i++) {
		snprintf(array, MD_ARRAY_TEXT, "md%u",
			 MD_FIRST_NUMBER + (chance % MD_NUMBERS + i) % MD_NUMBERS);
		snprintf(path, sizeof(path), "/dev/%s", array);
		if (!block_is_there(array) && access(path, F_OK) < 0)
			return 0;
	}
	return fst_error(ctx, EBUSY, "md%u to md%u are all taken", MD_FIRST_NUMBER,
			 MD_FIRST_NUMBER + MD_NUMBERS - 1);
}

static int md_save(struct fst_ctx *ctx, struct md_saved *s, char uuid[MD_UUID_TEXT],
		   char array[MD_ARRAY_TEXT])
{
	uint32_t words[4];
	size_t i;
	int r;

	if (getrandom(words, sizeof(words), 0) != sizeof(words))
		return fst_error(ctx, errno, "getrandom");
	snprintf(uuid, MD_UUID_TEXT, "%08x:%08x:%08x:%08x", words[0], words[1], words[2], words[3]);
	s->uuid = uuid;
	r = md_take_name(ctx, words[3], array);
	if (r == 0)
		r = fst_save(ctx, "array", array);
	if (r == 0)
		r = fst_save(ctx, "uuid", uuid);
	for (i = 0; i < s->members.n && r == 0; i++) {
		r = block_disk_save(ctx, s->members.v[i]);
		if (r == 0)
			r = fst_save(ctx, "member", s->members.v[i]);
	}
	return r;
}

static int md_set_speed(struct fst_ctx *ctx, const char *kernel, const char *key, uint64_t bytes)
{
	char attr[64], text[32];
	int r;

	if (!bytes)
		return 0;
	snprintf(attr, sizeof(attr), "md/%s", key);
	snprintf(text, sizeof(text), "%" PRIu64, bytes / 1024);
	r = block_sys_write(kernel, attr, text);
	return r < 0 ? fst_error(ctx, -r, "write %s to %s of %s", text, key, kernel) : 0;
}

static int md_wait_sync(struct fst_ctx *ctx, const struct md_cfg *cfg, const char *kernel)
{
	uint64_t end = fst_now(ctx) + cfg->sync_timeout, degraded = 0;
	char action[32], done[64];

	for (;;) {
		if (block_sys_read(kernel, "md/sync_action", action, sizeof(action)) < 0)
			return 0; /* a level without */
		block_sys_number(kernel, "md/degraded", &degraded);
		if (strcmp(action, "idle") == 0 && !degraded)
			return 0;
		if (fst_now(ctx) > end) {
			block_sys_read(kernel, "md/sync_completed", done, sizeof(done));
			return fst_error(ctx, ETIMEDOUT, "%s after sync_timeout: %s sectors done",
					 action, done);
		}
		block_pause();
	}
}

static int md_apply(struct fst_ctx *ctx)
{
	const struct md_cfg *cfg = ctx->cfg;
	struct md_saved s = { .uuid = NULL };
	char uuid[MD_UUID_TEXT], array[MD_ARRAY_TEXT], name[64], path[96];
	struct block_args a;
	int r = block_members_find(ctx, &cfg->devices, &s.members);

	if (r == 0)
		r = md_say_asked(ctx, cfg, s.members.n);
	if (r == 0)
		r = md_save(ctx, &s, uuid, array);
	if (r < 0)
		return r;
	snprintf(name, sizeof(name), "fstrial-%.8s%.8s", uuid, uuid + 9);
	md_build_create(ctx, &a, cfg, &s.members, array, name, uuid);
	block_note_command(ctx, &a);
	r = block_run(ctx, &a, NULL);
	if (r == 0)
		r = md_find(ctx, &s);
	if (r == 0)
		r = fst_error(ctx, ENOENT, "mdadm made the array, and no array has its UUID %s",
			      uuid);
	if (r > 0)
		r = md_set_speed(ctx, s.kernel, "sync_speed_min", cfg->sync_speed_min);
	if (r == 0)
		r = md_set_speed(ctx, s.kernel, "sync_speed_max", cfg->sync_speed_max);
	if (r == 0 && (md_kinds[cfg->level].has & MD_HAS_SYNC) && cfg->sync == MD_SYNC_WAIT)
		r = md_wait_sync(ctx, cfg, s.kernel);
	snprintf(path, sizeof(path), "/dev/%s", s.kernel);
	return r < 0 ? r : fst_set_device(ctx, path);
}

/* ---- readback ---------------------------------------------------------------------------------- */

static int md_readback(struct fst_ctx *ctx)
{
	struct md_saved s;
	char path[96];
	int r = md_get_saved(ctx, &s);

	if (r < 0 || !s.uuid)
		return r;
	r = md_find(ctx, &s);
	if (r <= 0)
		return r < 0 ? r : fst_error(ctx, ENOENT, "the array %s is gone", s.uuid);
	md_say_array(ctx, ctx->cfg, s.kernel);
	snprintf(path, sizeof(path), "/dev/%s", s.kernel);
	block_say_limits(ctx, path);
	return 0;
}

FSTRIAL_PLUGIN(.kind = FST_SETUP, .name = "md", .version = "1",
	       .summary = "makes an md array out of the target's devices; the steps that follow "
			  "work on it",
	       .description =
		       "All on the devices is lost. Number and name of the array are free ones "
		       "(from md512 "
		       "on); "
		       "afterwards it is stopped, and "
		       "the superblocks that carry its UUID, and no others, are taken from the "
		       "devices.\n"
		       "A new array with copies or parity is first made equal, which slows "
		       "everything down until it is done: "
		       "sync = \"wait\" waits for it, assume_clean = true leaves it out.\n"
		       "With metadata 0.90 and 1.0 data begins at 0 of each device, with 1.1 and "
		       "1.2 behind the superblock; "
		       "where, is in the result as data_offset.\n"
		       "bitmap = \"internal\" costs a write before the first write to each region; "
		       "the tool's own default is "
		       "a bitmap from some size on, here it is none.\n"
		       "mkfs.xfs and mkfs.ext4 take the stripe from the array by themselves.\n"
		       "The step is skipped where the kernel has no md or mdadm is not installed.",
	       FST_PARAMS(md_params), FST_TOOLS(md_tools), .cfg_size = sizeof(struct md_cfg),
	       .flags = FST_NEEDS_ROOT | FST_NEEDS_DEVICE | FST_DESTROYS_DEVICE |
			FST_PROVIDES_DEVICE,
	       .probe = md_probe, .check = md_check, .estimate = md_estimate, .apply = md_apply,
	       .readback = md_readback, .revert = md_undo);
