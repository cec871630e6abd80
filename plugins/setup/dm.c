/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Puts a device-mapper target over the trial's device: delays, times of failure, bad areas. */
#include <errno.h>

#include <fstrial/plugin.h>

#include "block_cmd.h"
#include "block_module.h"
#include "dm_table.h"

static const struct fst_choice dm_types[] = {
	{ "delay", DM_DELAY, "Every I/O takes longer, by read_delay, write_delay, flush_delay." },
	{ "flakey", DM_FLAKEY, "Works for `up`, then fails for `down`, and so on." },
	{ "error", DM_ERROR, "I/O to an area of the device fails with EIO." },
	{ "linear", DM_LINEAR, "A part of the device, otherwise as it is." },
};

static const struct fst_choice dm_downs[] = {
	{ "fail", DM_DOWN_FAIL, "Reads and writes fail with EIO." },
	{ "drop_writes", DM_DOWN_DROP,
	  "Writes are thrown away and said to have gone well; reads work." },
	{ "error_writes", DM_DOWN_ERROR_WRITES, "Writes fail with EIO; reads work." },
};

#define DM_PARAM(n, t) .name = #n, .type = (t), FST_AT(struct dm_cfg, n)

static const struct fst_param dm_params[] = {
	{ DM_PARAM(type, FST_ENUM), .flags = FST_REQUIRED, FST_CHOICES(dm_types),
	  .doc = "What it does to I/O." },
	{ DM_PARAM(read_delay, FST_TIME), .def = "0s",
	  .doc = "delay: what a read takes longer, whole milliseconds." },
	{ DM_PARAM(write_delay, FST_TIME), .def = "0s",
	  .doc = "delay: what a write takes longer, whole milliseconds." },
	{ DM_PARAM(flush_delay, FST_TIME), .def = "0s",
	  .doc = "delay: what a flush takes longer, whole milliseconds." },
	{ DM_PARAM(up, FST_TIME), .def = "10s",
	  .doc = "flakey: time that it works, whole seconds." },
	{ DM_PARAM(down, FST_TIME), .def = "1s",
	  .doc = "flakey: time that it does not work, whole seconds; with up = \"0s\" it never "
		 "works." },
	{ DM_PARAM(when_down, FST_ENUM), .def = "fail", FST_CHOICES(dm_downs),
	  .doc = "flakey: what happens to I/O in the bad time." },
	{ DM_PARAM(error_offset, FST_SIZE), .doc = "error: where the bad area begins." },
	{ DM_PARAM(error_length, FST_SIZE),
	  .doc = "error: its length; to the end when not given." },
	{ DM_PARAM(offset, FST_SIZE),
	  .doc = "Where on the device below the new one begins; it begins there too." },
	{ DM_PARAM(size, FST_SIZE), .doc = "Its size; the rest of the device when not given." },
};

static const struct fst_tool dm_tools[] = {
	{ "dmsetup", "--version", "dmsetup" },
};

/* Which type a parameter belongs to. */
static const struct {
	const char *param;
	int type;
} dm_of_type[] = {
	{ "read_delay", DM_DELAY },   { "write_delay", DM_DELAY },  { "flush_delay", DM_DELAY },
	{ "up", DM_FLAKEY },	      { "down", DM_FLAKEY },	    { "when_down", DM_FLAKEY },
	{ "error_offset", DM_ERROR }, { "error_length", DM_ERROR },
};

/* ---- probe, check, estimate -------------------------------------------------------------------- */

/* Is the target built in? Only asked when the device mapper is there: dmsetup would load it. */
static bool dm_target_is_there(struct fst_ctx *ctx, const char *target)
{
	struct block_args a = { .n = 0 };
	struct fst_cmd_result res;
	const char *p;

	block_arg(&a, "dmsetup");
	block_arg(&a, "targets");
	if (!block_file_has_word("/proc/misc", "device-mapper") || block_try(ctx, &a, &res) < 0)
		return false;
	for (p = block_out(&res); *p; p += strcspn(p, "\n"), p += *p == '\n')
		if (strncmp(p, target, strlen(target)) == 0 && p[strlen(target)] == ' ')
			return true;
	return false;
}

static int dm_probe(struct fst_ctx *ctx)
{
	const struct dm_cfg *cfg = ctx->cfg;
	char module[32];
	int r = block_need_tool(ctx, "dmsetup", "dmsetup");

	if (r < 0 || dm_target_is_there(ctx, dm_target(cfg->type)))
		return r;
	if (!block_file_has_word("/proc/misc", "device-mapper"))
		r = block_need_module(ctx, "dm-mod");
	if (r < 0 || cfg->type == DM_ERROR || cfg->type == DM_LINEAR)
		return r;
	snprintf(module, sizeof(module), "dm-%s", dm_target(cfg->type));
	return block_need_module(ctx, module);
}

static int dm_check_times(struct fst_ctx *ctx, const struct dm_cfg *cfg)
{
	const struct {
		const char *name;
		uint64_t value, grain;
		const char *grains;
	} times[] = {
		{ "read_delay", cfg->read_delay, 1000000, "milliseconds" },
		{ "write_delay", cfg->write_delay, 1000000, "milliseconds" },
		{ "flush_delay", cfg->flush_delay, 1000000, "milliseconds" },
		{ "up", cfg->up, 1000000000, "seconds" },
		{ "down", cfg->down, 1000000000, "seconds" },
	};
	size_t i;

	for (i = 0; i < FST_COUNT(times); i++)
		if (times[i].value % times[i].grain || times[i].value / times[i].grain > UINT32_MAX)
			return fst_error(ctx, 0, "%s: the device mapper takes whole %s",
					 times[i].name, times[i].grains);
	if (cfg->type == DM_FLAKEY && cfg->up + cfg->down == 0)
		return fst_error(ctx, 0, "up and down: one of them has to be longer than 0");
	return 0;
}

static int dm_check(struct fst_ctx *ctx)
{
	const struct dm_cfg *cfg = ctx->cfg;
	const struct {
		const char *name;
		uint64_t value;
	} sizes[] = {
		{ "error_offset", cfg->error_offset },
		{ "error_length", cfg->error_length },
		{ "offset", cfg->offset },
		{ "size", cfg->size },
	};
	size_t i;

	for (i = 0; i < FST_COUNT(dm_of_type); i++)
		if (dm_of_type[i].type != cfg->type && fst_is_set(ctx, dm_of_type[i].param))
			return fst_error(ctx, 0, "%s is for type = %s, not %s", dm_of_type[i].param,
					 dm_target(dm_of_type[i].type), dm_target(cfg->type));
	for (i = 0; i < FST_COUNT(sizes); i++)
		if (sizes[i].value % 512)
			return fst_error(ctx, 0, "%s is not a multiple of 512 bytes",
					 sizes[i].name);
	if (cfg->type == DM_ERROR && fst_is_set(ctx, "error_length") && !cfg->error_length)
		return fst_error(ctx, 0, "error_length is 0: nothing would fail");
	return dm_check_times(ctx, cfg);
}

static int dm_estimate(struct fst_ctx *ctx, struct fst_estimate *est)
{
	const struct dm_cfg *cfg = ctx->cfg;

	fst_plan(ctx, NULL, "makes a %s device over the trial's by dmsetup", dm_target(cfg->type));
	est->time_ns = 50000000;
	return 0;
}

/* ---- apply ------------------------------------------------------------------------------------- */

static int dm_find_part(struct fst_ctx *ctx, struct dm_part *part, char *dev, size_t size)
{
	const struct dm_cfg *cfg = ctx->cfg;
	char name[BLOCK_NAME_MAX];
	uint64_t bytes = block_size(ctx->device);
	int r = block_kernel_name(ctx->device, name, sizeof(name));

	if (r == 0)
		r = block_sys_read(name, "dev", dev, size);
	if (r < 0)
		return fst_error(ctx, -r, "%s", ctx->device);
	part->offset = cfg->offset;
	if (cfg->offset >= bytes)
		return fst_error(ctx, 0,
				 "offset is behind the end of %s, which has %" PRIu64 " bytes",
				 ctx->device, bytes);
	part->length = cfg->size ? cfg->size : bytes - cfg->offset;
	if (part->length > bytes - cfg->offset)
		return fst_error(ctx, 0,
				 "offset and size reach behind the end of %s, which has %" PRIu64
				 " bytes",
				 ctx->device, bytes);
	if (cfg->type == DM_ERROR && cfg->error_offset >= part->length)
		return fst_error(ctx, 0,
				 "error_offset is behind the end of the device, which has %" PRIu64
				 " bytes",
				 part->length);
	return 0;
}

/* In dmsetup's concise form: "name,uuid,minor,flags,table,table". */
static int dm_create(struct fst_ctx *ctx, const char *name, const char *table)
{
	struct block_args a = { .n = 0 };
	char concise[DM_MAX_TABLE + 128];
	size_t i, n;

	n = (size_t)snprintf(concise, sizeof(concise), "%s,%s,,rw", name, name);
	for (; *table && n + 2 < sizeof(concise); table += i + (table[i] == '\n')) {
		i = strcspn(table, "\n");
		n += (size_t)snprintf(concise + n, sizeof(concise) - n, ",%.*s", (int)i, table);
	}
	block_arg(&a, "dmsetup");
	block_arg(&a, "create");
	block_arg(&a, "--concise");
	block_arg(&a, "%s", concise);
	block_note_command(ctx, &a);
	return block_run(ctx, &a, NULL);
}

static int dm_apply(struct fst_ctx *ctx)
{
	const struct dm_cfg *cfg = ctx->cfg;
	char name[64], dev[32], path[96], table[DM_MAX_TABLE] = "", plain[DM_MAX_TABLE];
	struct dm_part part = { .device = dev };
	int r;

	if (!ctx->device)
		return fst_error(ctx, 0, "there is no device to put a %s device over",
				 dm_target(cfg->type));
	r = dm_find_part(ctx, &part, dev, sizeof(dev));
	if (r == 0)
		r = block_wait_free(ctx, ctx->device);
	if (r == 0)
		r = block_new_name(ctx, "fstrial-", name, sizeof(name));
	if (r < 0)
		return r;
	dm_build_table(table, sizeof(table), cfg, &part);
	dm_plain_table(table, plain, sizeof(plain));
	fst_asked(ctx, "table", plain, 0);
	r = fst_save(ctx, "name", name);
	if (r == 0)
		r = dm_create(ctx, name, table);
	if (r < 0)
		return r;
	snprintf(path, sizeof(path), "/dev/mapper/%s", name);
	return fst_set_device(ctx, path);
}

/* ---- readback, revert -------------------------------------------------------------------------- */

static int dm_readback(struct fst_ctx *ctx)
{
	struct block_args a = { .n = 0 };
	const char *name = fst_saved(ctx, "name");
	struct fst_cmd_result res;
	char plain[DM_MAX_TABLE], path[96];
	int r;

	if (!name)
		return 0;
	block_arg(&a, "dmsetup");
	block_arg(&a, "table");
	block_arg(&a, "%s", name);
	r = block_run(ctx, &a, &res);
	if (r < 0)
		return r;
	dm_plain_table(block_out(&res), plain, sizeof(plain));
	fst_in_force(ctx, "table", plain);
	snprintf(path, sizeof(path), "/dev/mapper/%s", name);
	block_say_limits(ctx, path);
	return 0;
}

/* 1: it is there and ours. 0: there is none, or another one of that name. */
static int dm_is_ours(struct fst_ctx *ctx, const char *name)
{
	struct block_args a = { .n = 0 };
	struct fst_cmd_result res;
	size_t len = strlen(name);
	int r;

	block_arg(&a, "dmsetup");
	block_arg(&a, "info");
	block_arg(&a, "-c");
	block_arg(&a, "--noheadings");
	block_arg(&a, "-o");
	block_arg(&a, "uuid");
	block_arg(&a, "%s", name);
	r = block_try(ctx, &a, &res);
	if (r < 0)
		return r;
	return res.exit_status == 0 && strncmp(block_out(&res), name, len) == 0 &&
	       strcspn(block_out(&res) + len, " \n") == 0;
}

static int dm_remove_once(struct fst_ctx *ctx, void *arg)
{
	struct block_args a = { .n = 0 };
	struct fst_cmd_result res;
	int r = dm_is_ours(ctx, arg);

	if (r <= 0)
		return r;
	block_arg(&a, "dmsetup");
	block_arg(&a, "remove");
	block_arg(&a, "%s", (const char *)arg);
	r = block_try(ctx, &a, &res);
	if (r < 0 || res.exit_status == 0)
		return r;
	return block_says_busy(&res) ? -EBUSY : block_refused(ctx, &a, &res);
}

static int dm_revert(struct fst_ctx *ctx)
{
	const char *name = fst_saved(ctx, "name");
	struct mount_holders h;
	char path[96];
	int r;

	/* Nobody loads the device mapper to find that it has nothing. */
	if (!name || !block_file_has_word("/proc/misc", "device-mapper"))
		return 0;
	r = block_until_free(ctx, dm_remove_once, (void *)(uintptr_t)name, BLOCK_BUSY_NS);
	if (r != -EBUSY)
		return r;
	snprintf(path, sizeof(path), "/dev/mapper/%s", name);
	block_find_holders(&h, path);
	return fst_error(ctx, EBUSY,
			 "%s cannot be removed, it is held by %s; then: dmsetup remove %s", path,
			 h.text, name);
}

FSTRIAL_PLUGIN(.kind = FST_SETUP, .name = "dm", .version = "1",
	       .summary = "puts a device-mapper target over the device: delay, flakey, error or "
			  "linear",
	       .description = "What follows works on a new device over the one that was there, "
			      "which is slower (delay), fails "
			      "at times (flakey), has a bad area (error), or is a part of it "
			      "(linear). Nothing is written to "
			      "the device below.\n"
			      "It is for tests of what a file system does then; a delay is no "
			      "model of a disk, as it lets "
			      "any number of I/Os wait at the same time.\n"
			      "Needs dmsetup and the kernel's device mapper; the step is skipped "
			      "where there is none.",
	       FST_PARAMS(dm_params), FST_TOOLS(dm_tools), .cfg_size = sizeof(struct dm_cfg),
	       .flags = FST_NEEDS_ROOT | FST_NEEDS_DEVICE | FST_VOLATILE | FST_PROVIDES_DEVICE,
	       .probe = dm_probe, .check = dm_check, .estimate = dm_estimate, .apply = dm_apply,
	       .readback = dm_readback, .revert = dm_revert);
