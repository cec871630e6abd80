/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mkfs: what the tool would make, without making it. */
#pragma once

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstrial/plugin.h>

#include "mkfs_run.h"

#define MKFS_DRY_TIMEOUT_NS UINT64_C(60000000000)

/* ---- ext: the block size that the tool picks ---------------------------------------------------- */

/* "Creating filesystem with 524288 4k blocks and 131072 inodes" */
static inline uint64_t mkfs_dry_block_size(const char *out)
{
	const char *p = strstr(out, "filesystem with ");
	char *end;
	uint64_t size;

	if (!p)
		return 0;
	p += strlen("filesystem with ");
	p += strcspn(p, " ");
	size = strtoull(p, &end, 10);
	return *end == 'k' ? size << 10 : 0;
}

static inline bool mkfs_counts_blocks(struct fst_ctx *ctx)
{
	size_t i;

	for (i = 0; i < FST_COUNT(mkfs_options); i++)
		if (mkfs_options[i].unit == MKFS_BLOCKS && fst_is_set(ctx, mkfs_options[i].param))
			return true;
	return false;
}

/* One that is counted in blocks and is no whole number of them, or NULL. */
static inline const struct mkfs_option *mkfs_no_blocks(struct fst_ctx *ctx, uint64_t block_size)
{
	size_t i;

	for (i = 0; i < FST_COUNT(mkfs_options); i++) {
		const struct mkfs_option *o = &mkfs_options[i];

		if (o->unit == MKFS_BLOCKS && fst_is_set(ctx, o->param) &&
		    mkfs_number(ctx->cfg, o) % block_size)
			return o;
	}
	return NULL;
}

#define MKFS_NO_BLOCKS "%s = %" PRIu64 " is not a multiple of the block size, %" PRIu64 " bytes"

static inline int mkfs_check_blocks(struct fst_ctx *ctx, uint64_t block_size)
{
	const struct mkfs_option *o = mkfs_no_blocks(ctx, block_size);

	return o ? fst_error(ctx, 0, MKFS_NO_BLOCKS, o->param, mkfs_number(ctx->cfg, o), block_size)
		 : 0;
}

/* Sets m->block_size where the command or the journal's device needs it: of the job, or what the tool picks. */
static inline int mkfs_learn_block_size(struct fst_ctx *ctx, struct mkfs_make *m,
					struct mkfs_args *args, const char *path)
{
	const struct mkfs_cfg *cfg = ctx->cfg;
	const char *logdev = m->logdev, *out = NULL;
	int r;

	if (mkfs_family(cfg) != MKFS_FAMILY_EXT)
		return 0;
	if (cfg->block_size) {
		m->block_size = cfg->block_size;
		return mkfs_check_blocks(ctx, m->block_size);
	}
	if (!logdev && !mkfs_counts_blocks(ctx))
		return 0;
	m->dry = true;
	m->logdev = NULL;
	r = mkfs_build(ctx, m, args);
	m->dry = false;
	m->logdev = logdev;
	if (r == 0)
		r = mkfs_run(ctx, args, path, "dry_run", &out);
	if (r < 0)
		return r;
	m->block_size = mkfs_dry_block_size(out ? out : "");
	if (!m->block_size)
		return fst_error(
			ctx, 0,
			"%s -n does not say which block size it would take: give block_size", path);
	return mkfs_check_blocks(ctx, m->block_size);
}

/* ---- plan -------------------------------------------------------------------------------------- */

/* Value of key in a line of mkfs.xfs, "bsize=4096   blocks=786432, imaxpct=25"; 0 where it is none. */
static inline uint64_t mkfs_dry_value(const char *line, const char *key)
{
	size_t len = strlen(key);
	const char *p = line;

	while ((p = strstr(p, key)) != NULL) {
		if (p[len] == '=' && (p == line || strchr(" \t,", p[-1])))
			return strtoull(p + len + 1, NULL, 10);
		p += len;
	}
	return 0;
}

static inline const char *mkfs_dry_size(uint64_t bytes, char *buf, size_t size)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	size_t u = 0;

	while (bytes && bytes % 1024 == 0 && u + 1 < FST_COUNT(units)) {
		bytes /= 1024;
		u++;
	}
	snprintf(buf, size, "%" PRIu64 "%s", bytes, units[u]);
	return buf;
}

/* One line "data     =   bsize=4096 ...", or one that goes on with the section before, "         =  ...". */
static inline void mkfs_dry_section(const char *line, char *section, size_t size)
{
	size_t len = strcspn(line, " =");

	if (len)
		snprintf(section, size, "%.*s", (int)len, line);
}

/* Which number of which section is shown, in bytes, and what it is counted in. */
static const struct mkfs_dry_row {
	const char *section, *key, *name;
	const char *unit; /* "": bytes; NULL: a count */
} mkfs_dry_rows[] = {
	{ "meta-data", "agcount", "agcount", NULL }, { "meta-data", "agsize", "agsize", "bsize" },
	{ "data", "bsize", "block_size", "" },	     { "meta-data", "sectsz", "sector_size", "" },
	{ "meta-data", "isize", "inode_size", "" },  { "data", "sunit", "sunit", "bsize" },
	{ "data", "swidth", "swidth", "bsize" },     { "log", "blocks", "log_size", "bsize" },
	{ "log", "sunit", "log_su", "bsize" },	     { "naming", "bsize", "naming_size", "" },
};

/* Number of row in the tool's print; false when it is not there. */
static inline bool mkfs_dry_find(const char *out, const char *section, const char *key,
				 uint64_t *value)
{
	char line[512], now[32] = "";

	while (*out) {
		size_t len = strcspn(out, "\n");
		char word[48];

		snprintf(line, sizeof(line), "%.*s", (int)len, out);
		out += len + (out[len] == '\n');
		mkfs_dry_section(line, now, sizeof(now));
		snprintf(word, sizeof(word), "%s=", key);
		if (strcmp(now, section) != 0 || !strstr(line, word))
			continue;
		*value = mkfs_dry_value(line, key);
		return true;
	}
	return false;
}

/* Geometry that mkfs.xfs -N prints, in bytes. */
static inline void mkfs_dry_xfs(const char *out, char *text, size_t size)
{
	uint64_t bsize = 0, v;
	char word[32];
	size_t i, n = 0;

	mkfs_dry_find(out, "data", "bsize", &bsize);
	text[0] = '\0';
	for (i = 0; i < FST_COUNT(mkfs_dry_rows) && n < size; i++) {
		const struct mkfs_dry_row *row = &mkfs_dry_rows[i];

		if (!mkfs_dry_find(out, row->section, row->key, &v))
			continue;
		if (row->unit)
			mkfs_dry_size(row->unit[0] ? v * bsize : v, word, sizeof(word));
		else
			snprintf(word, sizeof(word), "%" PRIu64, v);
		n += (size_t)snprintf(text + n, size - n, "%s%s=%s", n ? " " : "", row->name, word);
	}
}

static inline void mkfs_dry_ext(const char *out, char *text, size_t size)
{
	char line[256];

	text[0] = '\0';
	while (said_next_line(&out, line, sizeof(line)))
		if (strstr(line, "ilesystem with "))
			snprintf(text, size, "%s",
				 strstr(line, "ilesystem with ") + strlen("ilesystem with "));
}

/*
 * A matrix may have thousands of ways to make a file system, and nobody reads as many lines: when the tool has had
 * this much time of a processor in this process, it is not asked again.
 */
#define MKFS_DRY_BUDGET_S 10

static inline bool mkfs_dry_enough(void)
{
	struct rusage used;

	return getrusage(RUSAGE_CHILDREN, &used) == 0 &&
	       used.ru_utime.tv_sec + used.ru_stime.tv_sec >= MKFS_DRY_BUDGET_S;
}

/* Geometry that mkfs.btrfs prints, of lines "Node size:          16384" and "  Data:   RAID1   102.38MiB". */
static inline void mkfs_dry_btrfs(const char *out, char *text, size_t size)
{
	static const struct {
		const char *label, *name;
	} rows[] = {
		{ "Node size:", "node_size" },
		{ "Sector size:", "sector_size" },
		{ "Data:", "data" },
		{ "Metadata:", "metadata" },
		{ "System:", "system" },
		{ "Checksum:", "checksum" },
		{ "Number of devices:", "devices" },
	};
	char line[256], word[32];
	size_t i, n = 0;

	text[0] = '\0';
	while (said_next_line(&out, line, sizeof(line)))
		for (i = 0; i < FST_COUNT(rows) && n < size; i++) {
			const char *p = line + strspn(line, " \t");
			size_t len = strlen(rows[i].label);

			if (strncmp(p, rows[i].label, len) != 0)
				continue;
			p += len + strspn(p + len, " \t");
			if (strspn(p, "0123456789") > 3)
				mkfs_dry_size(strtoull(p, NULL, 10), word, sizeof(word));
			else
				snprintf(word, sizeof(word), "%.*s", (int)strcspn(p, " \t"), p);
			n += (size_t)snprintf(text + n, size - n, "%s%s=%s", n ? " " : "",
					      rows[i].name, word);
		}
}

/* ---- files in place of devices ------------------------------------------------------------------ */

#define MKFS_DRY_FILES 32

/* Empty files in memory that only this process has. */
struct mkfs_dry {
	int fd[MKFS_DRY_FILES];
	char path[MKFS_DRY_FILES][48];
	const char *name[MKFS_DRY_FILES]; /* what it stands for */
	size_t n;
};

/* One of this size; NULL when there cannot be one. */
static inline const char *mkfs_dry_file(struct mkfs_dry *d, const char *name, uint64_t bytes)
{
	int fd;

	if (d->n == MKFS_DRY_FILES || !bytes)
		return NULL;
	fd = memfd_create("fstrial-mkfs", MFD_CLOEXEC);
	if (fd < 0)
		return NULL;
	d->fd[d->n] = fd;
	d->name[d->n] = name;
	snprintf(d->path[d->n], sizeof(d->path[0]), "/proc/%ld/fd/%d", (long)getpid(), fd);
	return ftruncate(fd, (off_t)bytes) < 0 ? (d->n++, NULL) : d->path[d->n++];
}

/* In place of "target.2"; NULL where its size is not known. */
static inline const char *mkfs_dry_other(struct fst_ctx *ctx, struct mkfs_dry *d, const char *name)
{
	const char *size;
	char key[64];

	snprintf(key, sizeof(key), "%.50s.size", name);
	size = fst_fact(ctx, key);
	return mkfs_dry_file(d, name, size ? strtoull(size, NULL, 10) : 0);
}

/* False: not all of them can be had. */
static inline bool mkfs_dry_place(struct fst_ctx *ctx, struct mkfs_make *m, struct mkfs_dry *d,
				  uint64_t bytes)
{
	const struct mkfs_cfg *cfg = ctx->cfg;
	bool all;
	size_t i;

	m->device = mkfs_dry_file(d, "the device", bytes);
	all = m->device != NULL;
	/* mke2fs wants a journal to be there, prepared: without it all else is the same. */
	if (cfg->logdev && mkfs_family(cfg) == MKFS_FAMILY_XFS) {
		m->logdev = mkfs_dry_other(ctx, d, cfg->logdev);
		all = all && m->logdev;
	}
	for (i = 0; i < cfg->devices.n && all; i++) {
		m->more[i] = mkfs_dry_other(ctx, d, cfg->devices.v[i]);
		all = m->more[i] != NULL;
	}
	m->n_more = cfg->devices.n;
	return all;
}

/* Nobody knows the files by their paths. */
static inline void mkfs_dry_names(const struct mkfs_dry *d, char *text, size_t size)
{
	char rest[1200], *p;
	size_t i;

	/* From the last on: the path of the first may begin that of the tenth. */
	for (i = d->n; i-- > 0;)
		while ((p = strstr(text, d->path[i])) != NULL) {
			snprintf(rest, sizeof(rest), "%s", p + strlen(d->path[i]));
			snprintf(p, size - (size_t)(p - text), "%s%s", d->name[i], rest);
		}
}

/* What will be refused here, as the tool itself would round. */
static inline void mkfs_dry_blocks(struct fst_ctx *ctx, const char *out)
{
	uint64_t block_size = mkfs_family(ctx->cfg) == MKFS_FAMILY_EXT ? mkfs_dry_block_size(out)
								       : 0;
	const struct mkfs_option *o = block_size ? mkfs_no_blocks(ctx, block_size) : NULL;

	if (o)
		fst_warning(ctx, "will be refused: " MKFS_NO_BLOCKS, o->param,
			    mkfs_number(ctx->cfg, o), block_size);
}

/*
 * Asks the tool with files in place of the devices: none is opened. mkfs.btrfs, which cannot be asked, makes its few
 * MiB there. text: the geometry. False with a warning when the tool refuses.
 */
static inline bool mkfs_dry_run(struct fst_ctx *ctx, const struct mkfs_make *make,
				struct mkfs_args *args, const char *path, uint64_t bytes,
				char *text, size_t size)
{
	static void (*const geometry[MKFS_FAMILIES])(const char *, char *, size_t) = {
		[MKFS_FAMILY_XFS] = mkfs_dry_xfs,
		[MKFS_FAMILY_EXT] = mkfs_dry_ext,
		[MKFS_FAMILY_BTRFS] = mkfs_dry_btrfs,
	};
	const struct mkfs_cfg *cfg = ctx->cfg;
	struct mkfs_make m = *make;
	struct fst_cmd_result res = { .struct_size = sizeof(res) };
	struct fst_cmd cmd = { .argv = args->v, .timeout_ns = MKFS_DRY_TIMEOUT_NS };
	struct mkfs_dry files = { .n = 0 };
	char why[1200];

	m.dry = true;
	if (!mkfs_dry_place(ctx, &m, &files, bytes) || mkfs_build(ctx, &m, args) < 0)
		goto out;
	args->v[0] = path;
	if (fst_run_cmd(ctx, &cmd, &res) < 0)
		goto out;
	if (res.exit_status == 0) {
		geometry[mkfs_family(cfg)](res.out ? res.out : "", text, size);
		mkfs_dry_blocks(ctx, res.out ? res.out : "");
	}
	if (res.exit_status > 0) {
		mkfs_message(strrchr(path, '/') ? strrchr(path, '/') + 1 : path,
			     res.out ? res.out : "", res.err ? res.err : "", why, sizeof(why));
		mkfs_dry_names(&files, why, sizeof(why));
		fst_warning(ctx, "will be refused by the tool: %s", why);
	}
out:
	while (files.n > 0)
		close(files.fd[--files.n]);
	return res.exit_status <= 0;
}
