/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One value of a block device in sysfs: read, write, keep and put back. For the plugins beside
 * it.
 */
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <fstrial/plugin.h>

#define SYSFS_VALUE_MAX 512

static inline int sysfs_value_path(char *buf, size_t size, const char *dir, const char *name)
{
	int n = snprintf(buf, size, "%s/%s", dir, name);

	return n < 0 || (size_t)n >= size ? -ENAMETOOLONG : 0;
}

/* The value's text without blanks at its end. A value of several lines is -EOVERFLOW. */
static inline int sysfs_value_read(const char *dir, const char *name, char *buf, size_t size)
{
	char path[SYSFS_VALUE_MAX];
	ssize_t n;
	int fd, r = sysfs_value_path(path, sizeof(path), dir, name);

	if (r < 0)
		return r;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	n = read(fd, buf, size);
	r = n < 0 ? -errno : 0;
	close(fd);
	if (r < 0)
		return r;
	while (n > 0 && (buf[n - 1] == '\n' || buf[n - 1] == ' '))
		n--;
	if ((size_t)n >= size)
		return -EOVERFLOW;
	buf[n] = '\0';
	return strchr(buf, '\n') ? -EOVERFLOW : 0;
}

/* What is in force: of a list of choices the one in brackets, else the whole text. */
static inline int sysfs_value_get(const char *dir, const char *name, char *buf, size_t size)
{
	int r = sysfs_value_read(dir, name, buf, size);
	char *open_at, *close_at;

	if (r < 0)
		return r;
	open_at = strchr(buf, '[');
	close_at = open_at ? strchr(open_at, ']') : NULL;
	if (close_at) {
		*close_at = '\0';
		memmove(buf, open_at + 1, (size_t)(close_at - open_at));
	}
	return 0;
}

static inline int sysfs_value_write(const char *dir, const char *name, const char *value)
{
	char path[SYSFS_VALUE_MAX];
	size_t len = strlen(value);
	int fd, r = sysfs_value_path(path, sizeof(path), dir, name);
	ssize_t n;

	if (r < 0)
		return r;
	fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	n = write(fd, value, len);
	r = n < 0 ? -errno : (size_t)n != len ? -EIO : 0;
	if (close(fd) < 0 && !r)
		r = -errno;
	return r;
}

/* apply: keeps which disk it is. The sequence number tells it from a later one of the same name. */
static inline int sysfs_value_save_disk(struct fst_ctx *ctx)
{
	char seq[SYSFS_VALUE_MAX];
	int r = fst_save(ctx, "sysfs", ctx->sysfs);

	if (r == 0 && sysfs_value_read(ctx->sysfs, "diskseq", seq, sizeof(seq)) == 0)
		r = fst_save(ctx, "diskseq", seq);
	return r;
}

/* revert: where that disk is, or NULL when nothing was kept or the disk is gone. */
static inline const char *sysfs_value_saved_disk(struct fst_ctx *ctx)
{
	const char *dir = fst_saved(ctx, "sysfs"), *seq = fst_saved(ctx, "diskseq");
	char now[SYSFS_VALUE_MAX];

	if (!dir || access(dir, F_OK) < 0)
		return NULL;
	if (seq && sysfs_value_read(dir, "diskseq", now, sizeof(now)) == 0 && strcmp(seq, now) != 0)
		return NULL;
	return dir;
}

/* revert: puts one value back unless it is so already, and looks whether it took. */
static inline int sysfs_value_restore(struct fst_ctx *ctx, const char *dir, const char *name,
				      const char *want)
{
	char now[SYSFS_VALUE_MAX] = "";
	int w, r = sysfs_value_get(dir, name, now, sizeof(now));

	if (r == -ENOENT || r == -ENODEV || (r == 0 && strcmp(now, want) == 0))
		return 0;
	w = sysfs_value_write(dir, name, want);
	r = sysfs_value_get(dir, name, now, sizeof(now));
	if (w == 0 && r == 0 && strcmp(now, want) == 0)
		return 0;
	return fst_error(ctx, w < 0 ? -w : EIO,
			 "%s is %s but was %s; to put it back: echo '%s' > %s/%s", name,
			 r == 0 ? now : "not readable", want, want, dir, name);
}
