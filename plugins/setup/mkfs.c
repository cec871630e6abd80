/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes a new file system on the target's device. */
#include <errno.h>
#include <stdlib.h>

#include <fstrial/plugin.h>

#include "mkfs_args.h"
#include "mkfs_guard.h"
#include "mkfs_message.h"

static const struct fst_choice mkfs_types[] = {
	{ "xfs", MKFS_XFS, "XFS, by mkfs.xfs." },
	{ "ext4", MKFS_EXT4, "ext4, by mkfs.ext4." },
	{ "ext3", MKFS_EXT3, "ext3, by mkfs.ext4 -t ext3." },
	{ "ext2", MKFS_EXT2, "ext2, by mkfs.ext4 -t ext2." },
};

#define MKFS_PARAM(n, t) .name = #n, .type = (t), FST_AT(struct mkfs_cfg, n)

static const struct fst_param mkfs_params[] = {
	{ MKFS_PARAM(fs, FST_ENUM), .alias = "type", .flags = FST_REQUIRED, FST_CHOICES(mkfs_types),
	  .doc = "The file system's type." },
	{ MKFS_PARAM(label, FST_STR), .def = "fstrial",
	  .doc = "Its label; by \"fstrial\" a later run knows that it may be overwritten." },
	{ MKFS_PARAM(discard, FST_BOOL), .def = "true",
	  .doc = "Whether all old blocks are discarded first; false is quicker, but leaves a thin "
		 "or flash device as full as it was." },
	{ MKFS_PARAM(options, FST_STR),
	  .doc = "Further arguments for the tool, split at blanks, quotes respected; no devices." },
	{ MKFS_PARAM(block_size, FST_SIZE), .doc = "Block size." },
	{ MKFS_PARAM(inode_size, FST_SIZE), .doc = "Size of one inode." },
	{ MKFS_PARAM(sector_size, FST_SIZE),
	  .doc = "xfs: sector size, at least the device's own." },
	{ MKFS_PARAM(agcount, FST_U64), .min = "1",
	  .doc = "xfs: number of allocation groups; not together with agsize." },
	{ MKFS_PARAM(agsize, FST_SIZE),
	  .doc = "xfs: size of an allocation group, 16MiB or more; not together with agcount." },
	{ MKFS_PARAM(su, FST_SIZE),
	  .doc = "xfs: stripe unit, what one disk of a RAID gets in a row; needs sw." },
	{ MKFS_PARAM(sw, FST_U64), .min = "1", .unit = "stripe units",
	  .doc = "xfs: stripe width as a number of stripe units, the disks that hold data; needs "
		 "su." },
	{ MKFS_PARAM(sunit, FST_SIZE), .doc = "xfs: stripe unit in bytes (mkfs.xfs counts 512-byte "
					      "sectors here); needs swidth." },
	{ MKFS_PARAM(swidth, FST_SIZE), .doc = "xfs: stripe width in bytes (mkfs.xfs counts "
					       "512-byte sectors here); needs sunit." },
	{ MKFS_PARAM(log_size, FST_SIZE), .doc = "xfs: size of the log." },
	{ MKFS_PARAM(log_su, FST_SIZE), .doc = "xfs: stripe unit of the log." },
	{ MKFS_PARAM(log_version, FST_U64), .min = "1", .max = "2",
	  .doc = "xfs: version of the log; 1 only goes with crc = 0." },
	{ MKFS_PARAM(naming_size, FST_SIZE), .doc = "xfs: block size of directories." },
	{ MKFS_PARAM(crc, FST_U64), .max = "1",
	  .doc = "xfs: checksums (format V5), 0 or 1; many kernels refuse to mount without." },
	{ MKFS_PARAM(reflink, FST_U64), .max = "1", .doc = "xfs: shared extents, 0 or 1." },
	{ MKFS_PARAM(rmapbt, FST_U64), .max = "1", .doc = "xfs: reverse mapping tree, 0 or 1." },
	{ MKFS_PARAM(bigtime, FST_U64), .max = "1", .doc = "xfs: times beyond 2038, 0 or 1." },
	{ MKFS_PARAM(finobt, FST_U64), .max = "1", .doc = "xfs: tree of free inodes, 0 or 1." },
	{ MKFS_PARAM(inobtcount, FST_U64), .max = "1",
	  .doc = "xfs: counters of the inode trees, 0 or 1." },
	{ MKFS_PARAM(stride, FST_SIZE),
	  .doc = "ext: what one disk of a RAID gets in a row, in bytes; needs block_size." },
	{ MKFS_PARAM(stripe_width, FST_SIZE),
	  .doc = "ext: bytes of data in a full stripe, a multiple of stride; needs block_size." },
	{ MKFS_PARAM(journal_size, FST_SIZE),
	  .doc = "ext3, ext4: size of the journal, whole MiB." },
	{ MKFS_PARAM(lazy_init, FST_BOOL), .def = "false",
	  .doc = "ext: whether inode tables are zeroed after mount, in the background of what is "
		 "measured, instead of by mkfs." },
};

static const struct fst_tool mkfs_tools[] = {
	{ "mkfs.xfs", "-V", "xfsprogs" },
	{ "mkfs.ext4", "-V", "e2fsprogs" },
};

/* ---- probe, check ---------------------------------------------------------------------------- */

static int mkfs_probe(struct fst_ctx *ctx)
{
	const struct mkfs_cfg *cfg = ctx->cfg;
	const struct fst_tool *tool = &mkfs_tools[cfg->fs != MKFS_XFS];

	if (fst_find_tool(ctx, tool->program))
		return 0;
	return fst_error(ctx, EOPNOTSUPP, "%s is not installed: install the package %s",
			 tool->program, tool->package);
}

static int mkfs_check_family(struct fst_ctx *ctx)
{
	const struct mkfs_cfg *cfg = ctx->cfg;
	int family = cfg->fs == MKFS_XFS ? MKFS_FOR_XFS : MKFS_FOR_EXT;
	size_t i;

	for (i = 0; i < FST_COUNT(mkfs_numbers); i++) {
		const struct mkfs_number *n = &mkfs_numbers[i];

		if (!fst_is_set(ctx, n->param))
			continue;
		if (!(n->fs & family))
			return fst_error(ctx, 0, "%s is for %s, not %s", n->param,
					 n->fs == MKFS_FOR_XFS ? "xfs" : "ext4",
					 mkfs_fs_name(cfg->fs));
		if (n->unit == MKFS_SECTORS && mkfs_value(cfg, n) % 512)
			return fst_error(ctx, 0, "%s is not a multiple of 512 bytes",
					 n->param);
		if (n->unit == MKFS_MIB && mkfs_value(cfg, n) % (1u << 20))
			return fst_error(ctx, 0, "%s is not a whole number of MiB", n->param);
		if (n->unit != MKFS_BLOCKS)
			continue;
		if (!cfg->block_size)
			return fst_error(ctx, 0,
					 "%s needs block_size: ext counts it in blocks and picks "
					 "their size by the device's",
					 n->param);
		if (mkfs_value(cfg, n) % cfg->block_size)
			return fst_error(ctx, 0, "%s is not a multiple of block_size",
					 n->param);
	}
	if (family == MKFS_FOR_XFS && fst_is_set(ctx, "lazy_init"))
		return fst_error(ctx, 0, "lazy_init is for ext4, not xfs");
	if (cfg->fs == MKFS_EXT2 && fst_is_set(ctx, "journal_size"))
		return fst_error(ctx, 0, "journal_size: ext2 has no journal");
	return 0;
}

/*
 * What the tool will refuse, for `plan`. No error of the job's: in a matrix the other variants are still
 * worth running, and the tool's own version has the last word.
 */
static void mkfs_warn_pairs(struct fst_ctx *ctx)
{
	static const struct {
		const char *a, *b;
		bool together;
	} rules[] = {
		{ "agcount", "agsize", false }, { "su", "sunit", false },
		{ "su", "swidth", false },	{ "sw", "sunit", false },
		{ "sw", "swidth", false },	{ "su", "sw", true },
		{ "sw", "su", true },		{ "sunit", "swidth", true },
		{ "swidth", "sunit", true },
	};
	const struct mkfs_cfg *cfg = ctx->cfg;
	size_t i;

	for (i = 0; i < FST_COUNT(rules); i++) {
		if (!fst_is_set(ctx, rules[i].a) ||
		    fst_is_set(ctx, rules[i].b) == rules[i].together)
			continue;
		fst_warning(ctx,
			    rules[i].together ? "%s without %s will be refused by the tool" :
						"%s together with %s will be refused by the tool",
			    rules[i].a, rules[i].b);
	}
	if (cfg->sunit && cfg->swidth % cfg->sunit)
		fst_warning(ctx, "swidth is not a multiple of sunit");
	if (cfg->stride && cfg->stripe_width % cfg->stride)
		fst_warning(ctx, "stripe_width is not a multiple of stride");
	if (cfg->log_version == 1 && !(fst_is_set(ctx, "crc") && cfg->crc == 0))
		fst_warning(ctx, "log_version = 1 needs crc = 0");
}

/* mkfs.xfs 6.x refuses less. */
#define MKFS_XFS_MIN_BYTES (300ull << 20)

static int mkfs_estimate(struct fst_ctx *ctx, struct fst_estimate *est)
{
	const struct mkfs_cfg *cfg = ctx->cfg;
	const char *size = fst_fact(ctx, "target.size");
	unsigned long long bytes = size ? strtoull(size, NULL, 10) : 0;

	mkfs_warn_pairs(ctx);
	if (cfg->fs == MKFS_XFS && bytes && bytes < MKFS_XFS_MIN_BYTES)
		fst_warning(ctx, "mkfs.xfs needs at least 300 MiB, the target has %llu MiB", bytes >> 20);
	est->time_ns = 300000000;
	return 0;
}

static int mkfs_check(struct fst_ctx *ctx)
{
	const struct mkfs_cfg *cfg = ctx->cfg;
	size_t max = cfg->fs == MKFS_XFS ? 12 : 16;
	int r = mkfs_check_family(ctx);

	if (r == 0 && cfg->label && strlen(cfg->label) > max)
		r = fst_error(ctx, 0, "label: at most %zu bytes for %s", max,
			      mkfs_fs_name(cfg->fs));
	if (r == 0)
		r = mkfs_split_options(ctx);
	return r < 0 ? r : mkfs_guard_options(ctx, false);
}

/* ---- apply, readback ------------------------------------------------------------------------- */

static void mkfs_say_asked(struct fst_ctx *ctx)
{
	const struct mkfs_cfg *cfg = ctx->cfg;
	char text[32];
	size_t i;

	fst_asked(ctx, "fs", mkfs_fs_name(cfg->fs), 0);
	if (cfg->label)
		fst_asked(ctx, "label", cfg->label, 0);
	for (i = 0; i < FST_COUNT(mkfs_numbers); i++) {
		if (!fst_is_set(ctx, mkfs_numbers[i].param))
			continue;
		snprintf(text, sizeof(text), "%" PRIu64, mkfs_value(cfg, &mkfs_numbers[i]));
		fst_asked(ctx, mkfs_numbers[i].param, text, 0);
	}
}

static void mkfs_join(char *text, size_t size, const struct mkfs_args *a)
{
	size_t i, n = 0;

	text[0] = '\0';
	for (i = 0; i < a->n && n < size; i++) {
		const char *quote = strpbrk(a->v[i], " \t\"'\\") || !a->v[i][0] ? "'" : "";

		n += (size_t)snprintf(text + n, size - n, "%s%s%s%s", i ? " " : "", quote, a->v[i],
				      quote);
	}
}

/* What a tool that went well has to say, in one warning. */
static void mkfs_warn(struct fst_ctx *ctx, const char *program, const char *err)
{
	char line[512], text[1024] = "";
	size_t n = 0;

	while (mkfs_next_line(&err, line, sizeof(line)) && n < sizeof(text))
		if (!mkfs_is_banner(line))
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s", n ? " " : "",
					      line);
	if (n)
		fst_warning(ctx, "%s: %s", program, text);
}

static int mkfs_run(struct fst_ctx *ctx, const char *program, const char *path)
{
	struct mkfs_state *st = ctx->state;
	struct fst_cmd_result res = { .struct_size = sizeof(res) };
	struct fst_cmd cmd = { .argv = st->args.v };
	char command[MKFS_MAX_TEXT], text[1200];
	const char *err;
	int r;

	mkfs_join(command, sizeof(command), &st->args);
	fst_note(ctx, "command", command);
	st->args.v[0] = path;
	r = fst_run_cmd(ctx, &cmd, &res);
	if (r < 0)
		return r;
	if (res.exit_status < 0)
		return fst_error(ctx, 0, "%s was ended by signal %d (command: %s)", program,
				 res.signal, command);
	err = res.err ? res.err : "";
	if (res.exit_status != 0) {
		mkfs_message(program, res.out ? res.out : "", err, text, sizeof(text));
		return fst_error(ctx, 0, "%s (command: %s)", text, command);
	}
	mkfs_warn(ctx, program, err);
	return 0;
}

static int mkfs_apply(struct fst_ctx *ctx)
{
	const struct mkfs_cfg *cfg = ctx->cfg;
	struct mkfs_state *st = ctx->state;
	const char *program = mkfs_program(cfg->fs), *path = fst_find_tool(ctx, program);
	int r;

	if (!ctx->device)
		return fst_error(ctx, 0, "the target has no device to make a file system on");
	if (!path)
		return fst_error(ctx, ENOENT, "%s is not installed", program);
	r = mkfs_split_options(ctx);
	if (r == 0)
		r = mkfs_guard_options(ctx, true);
	if (r == 0)
		r = mkfs_guard_files(ctx);
	if (r == 0)
		r = mkfs_build(ctx, &st->args, &st->user, program, ctx->device);
	if (r < 0)
		return r;
	mkfs_say_asked(ctx);
	return mkfs_run(ctx, program, path);
}

static void mkfs_say_fact(struct fst_ctx *ctx, const char *key, const char *fact)
{
	char name[64];
	const char *value;

	snprintf(name, sizeof(name), "filesystem.%s", fact);
	value = fst_fact(ctx, name);
	if (value)
		fst_in_force(ctx, key, value);
}

/* The stripe width in stripe units is not kept by the file system: it comes from two sizes. */
static void mkfs_say_sw(struct fst_ctx *ctx)
{
	const char *unit = fst_fact(ctx, "filesystem.sunit"),
		   *width = fst_fact(ctx, "filesystem.swidth");
	unsigned long long u = unit ? strtoull(unit, NULL, 10) : 0,
			   w = width ? strtoull(width, NULL, 10) : 0;
	char text[32];

	if (!unit || !width)
		return;
	snprintf(text, sizeof(text), "%llu", u ? w / u : 0);
	fst_in_force(ctx, "sw", text);
}

static int mkfs_readback(struct fst_ctx *ctx)
{
	size_t i;

	mkfs_say_fact(ctx, "fs", "type");
	mkfs_say_fact(ctx, "label", "label");
	for (i = 0; i < FST_COUNT(mkfs_numbers); i++) {
		const struct mkfs_number *n = &mkfs_numbers[i];

		if (n->fact && fst_is_set(ctx, n->param))
			mkfs_say_fact(ctx, n->param, n->fact);
	}
	if (fst_is_set(ctx, "sw"))
		mkfs_say_sw(ctx);
	return 0;
}

FSTRIAL_PLUGIN(.kind = FST_SETUP, .name = "mkfs", .version = "1",
	       .summary = "makes a new file system on the target's device",
	       .description =
		       "Runs mkfs.xfs or mkfs.ext4. Everything on the device is lost; whether it "
		       "may be touched "
		       "is decided before, by the run, so the tool itself is told to force.\n"
		       "All sizes are in bytes, whatever the tool counts in.\n"
		       "xfs is refused under 300MiB, allocation groups under 16MiB, and a sector "
		       "size under the "
		       "device's. su and sw change other defaults too: the number of allocation "
		       "groups doubles.\n"
		       "ext4 inode tables are zeroed at once unless lazy_init = true: by default "
		       "of the tool they would be zeroed while the workload runs.\n"
		       "The label \"fstrial\" is how a later run knows a file system of its own.",
	       FST_PARAMS(mkfs_params), FST_TOOLS(mkfs_tools), .cfg_size = sizeof(struct mkfs_cfg),
	       .state_size = sizeof(struct mkfs_state),
	       .flags = FST_DESTROYS_DEVICE | FST_NEEDS_DEVICE | FST_NEEDS_ROOT,
	       .probe = mkfs_probe, .check = mkfs_check, .estimate = mkfs_estimate, .apply = mkfs_apply,
	       .readback = mkfs_readback);
