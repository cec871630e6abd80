/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mkfs: a log or journal on a device of its own. Such a device is claimed, so that the guard has looked at it. No
 * label tells a later run that what is on it is ours; so its signature is taken away again when the trial is over.
 */
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <fstrial/plugin.h>

#include "block_disk.h"
#include "mkfs_run.h"

#define MKFS_SIGNATURE_BYTES (256u << 10) /* where programs look for a log's first record */

/* A random UUID as text. */
static inline int mkfs_draw_uuid(struct fst_ctx *ctx, char text[40])
{
	unsigned char u[16];

	if (getrandom(u, sizeof(u), 0) != (ssize_t)sizeof(u))
		return fst_error(ctx, errno, "getrandom");
	u[6] = (unsigned char)((u[6] & 0x0f) | 0x40);
	u[8] = (unsigned char)((u[8] & 0x3f) | 0x80);
	snprintf(text, 40, "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x",
		 u[0], u[1], u[2], u[3], u[4], u[5], u[6], u[7], u[8], u[9], u[10], u[11], u[12],
		 u[13], u[14], u[15]);
	return 0;
}

static inline int mkfs_nibble(char c)
{
	return c >= '0' && c <= '9'			? c - '0'
	       : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10
							: -1;
}

/* 16 bytes of a UUID's text; false when it is none. */
static inline bool mkfs_uuid_bytes(const char *text, unsigned char u[16])
{
	size_t n = 0;

	for (; *text && n < 32; text++) {
		int v = mkfs_nibble(*text);

		if (*text == '-')
			continue;
		if (v < 0)
			return false;
		u[n / 2] = (unsigned char)(n % 2 ? u[n / 2] | v : v << 4);
		n++;
	}
	return n == 32 && !*text;
}

/* "UUID MAJ:MIN PATH", and which disk that is, before the device is written to. */
static inline int mkfs_save_external(struct fst_ctx *ctx, const char *uuid, const char *device)
{
	char value[MKFS_MAX_TEXT / 8];
	struct stat st;
	int r;

	if (stat(device, &st) < 0)
		return fst_error(ctx, errno, "look at %s", device);
	if (!S_ISBLK(st.st_mode))
		return fst_error(ctx, ENOTBLK, "logdev: %s", device);
	if ((size_t)snprintf(value, sizeof(value), "%s %u:%u %s", uuid, major(st.st_rdev),
			     minor(st.st_rdev), device) >= sizeof(value))
		return fst_error(ctx, ENAMETOOLONG, "logdev: %s", device);
	r = block_disk_save(ctx, device);
	return r < 0 ? r : fst_save(ctx, "external", value);
}

/* Is there a log record of XFS, or a journal's superblock, with this UUID? */
static inline bool mkfs_is_ours(const unsigned char *p, size_t size, const unsigned char uuid[16])
{
	static const unsigned char record[] = { 0xfe, 0xed, 0xba, 0xbe };
	size_t at;

	for (at = 0; at + 512 <= size; at += 512)
		if (memcmp(p + at, record, sizeof(record)) == 0 &&
		    memcmp(p + at + 304, uuid, 16) == 0)
			return true;
	return size >= 2048 && p[1024 + 56] == 0x53 && p[1024 + 57] == 0xef &&
	       (p[1024 + 96] & 0x08) && memcmp(p + 1024 + 104, uuid, 16) == 0;
}

static inline int mkfs_wipe(struct fst_ctx *ctx, int fd, const char *device,
			    const unsigned char uuid[16])
{
	unsigned char *p = calloc(1, MKFS_SIGNATURE_BYTES);
	ssize_t n = p ? pread(fd, p, MKFS_SIGNATURE_BYTES, 0) : -1;
	int r = 0;

	if (n < 0) {
		r = fst_error(ctx, errno, "read %s", device);
	} else if (mkfs_is_ours(p, (size_t)n, uuid)) {
		memset(p, 0, (size_t)n);
		if (pwrite(fd, p, (size_t)n, 0) != n || fsync(fd) < 0)
			r = fst_error(ctx, errno, "take the log's signature off %s", device);
	}
	free(p);
	return r;
}

/* The disk's name today, or its image where the loop is detached; NULL: it is not there. */
static inline const char *mkfs_find_external(struct fst_ctx *ctx, const char *device,
					     struct block_disks *d)
{
	const struct block_members m = { { device }, 1 };

	memset(d, 0, sizeof(*d));
	d->text[0] = fst_saved(ctx, "disk");
	if (!d->text[0])
		return device;
	block_disks_find(ctx, d, &m);
	if (d->now[0][0])
		return d->now[0];
	return block_disk_lost(d, 0) ? block_disk_image(d->text[0]) : NULL;
}

/* Whatever is not the log that was made is somebody else's and stays. */
static inline int mkfs_revert_one(struct fst_ctx *ctx, const char *key, const char *value,
				  void *arg)
{
	const char *device;
	unsigned int maj, min;
	unsigned char uuid[16];
	struct block_disks disks;
	char text[40];
	int fd, r = 0, at = 0;
	struct stat st;

	(void)arg;
	if (strcmp(key, "external") != 0 ||
	    sscanf(value, "%39s %u:%u %n", text, &maj, &min, &at) != 3 || !at ||
	    !mkfs_uuid_bytes(text, uuid))
		return 0;
	device = mkfs_find_external(ctx, value + at, &disks);
	if (!device && block_disk_lost(&disks, 0))
		fst_warning(
			ctx,
			"%s is not there; should it come back with the log, type: wipefs -a DEVICE",
			value + at);
	if (!device)
		return 0;
	fd = open(device, O_RDWR | O_EXCL | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT || errno == ENXIO ? 0
							 : fst_error(ctx, errno, "open %s", device);
	if (fstat(fd, &st) == 0 &&
	    (disks.text[0] ||
	     (S_ISBLK(st.st_mode) && major(st.st_rdev) == maj && minor(st.st_rdev) == min)))
		r = mkfs_wipe(ctx, fd, device, uuid);
	close(fd);
	return r;
}

/* ---- making it ---------------------------------------------------------------------------------- */

/* mke2fs has to prepare the journal's device before the file system that uses it. */
static inline int mkfs_make_journal(struct fst_ctx *ctx, const struct mkfs_make *m,
				    struct mkfs_args *a, const char *path, const char *uuid)
{
	const struct mkfs_cfg *cfg = ctx->cfg;
	char number[32];

	memset(a, 0, sizeof(*a));
	mkfs_arg(a, m->program);
	mkfs_arg(a, "-F");
	mkfs_arg(a, "-q");
	mkfs_arg_pair(a, "-O", "journal_dev");
	snprintf(number, sizeof(number), "%" PRIu64, m->block_size);
	mkfs_arg_pair(a, "-b", number);
	mkfs_arg_pair(a, "-U", uuid);
	if (!cfg->discard)
		mkfs_arg_pair(a, "-E", "nodiscard");
	if (cfg->label && cfg->label[0])
		mkfs_arg_pair(a, "-L", cfg->label);
	mkfs_arg(a, m->logdev);
	if (fst_is_set(ctx, "journal_size")) {
		snprintf(number, sizeof(number), "%" PRIu64 "k", cfg->journal_size >> 10);
		mkfs_arg(a, number);
	}
	return a->full ? fst_error(ctx, E2BIG, "the command line for %s is too long", m->program)
		       : mkfs_run(ctx, a, path, "journal_command", NULL);
}

/* Before the file system itself: names the device in the undo facts, and prepares it where that is needed. */
static inline int mkfs_prepare_external(struct fst_ctx *ctx, struct mkfs_make *m,
					struct mkfs_args *a, const char *path, char uuid[40])
{
	const struct mkfs_cfg *cfg = ctx->cfg;
	bool xfs = mkfs_family(cfg) == MKFS_FAMILY_XFS;
	int r;

	if (!m->logdev)
		return 0;
	if (xfs && cfg->uuid)
		snprintf(uuid, 40, "%.39s", cfg->uuid);
	else if ((r = mkfs_draw_uuid(ctx, uuid)) < 0)
		return r;
	r = mkfs_save_external(ctx, uuid, m->logdev);
	if (r < 0)
		return r;
	if (xfs)
		m->uuid = uuid;
	return xfs ? 0 : mkfs_make_journal(ctx, m, a, path, uuid);
}
