/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Making a directory that is the step's own, and removing what is in it, without a list. */
#pragma once

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <fstrial/plugin.h>

enum { FILES_PATH = 4096, FILES_EXT4_MAGIC = 0xef53 };

static inline int files_remove_in(int fd);

/* One entry of a directory, and all that is below it; symbolic links are not followed. */
static inline int files_remove_one(int dirfd, const char *name, unsigned char type)
{
	int fd, ret;

	if (type != DT_DIR) {
		if (unlinkat(dirfd, name, 0) == 0)
			return 0;
		if (errno != EISDIR && errno != EPERM)
			return errno == ENOENT ? 0 : -errno;
	}
	fd = openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	ret = files_remove_in(fd);
	if (!ret && unlinkat(dirfd, name, AT_REMOVEDIR))
		ret = -errno;
	return ret;
}

/*
 * Everything in the directory, whose descriptor is closed. Read anew until a pass finds nothing:
 * what a directory that shrinks while it is read still gives is not the same everywhere.
 */
static inline int files_remove_in(int fd)
{
	DIR *dir = fdopendir(fd);
	const struct dirent *e;
	uint64_t removed = 1;
	int ret = 0;

	if (!dir) {
		ret = -errno;
		close(fd);
		return ret;
	}
	while (!ret && removed) {
		removed = 0;
		rewinddir(dir);
		while (!ret && (e = readdir(dir)) != NULL) {
			if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
				continue;
			ret = files_remove_one(dirfd(dir), e->d_name, e->d_type);
			removed++;
		}
	}
	closedir(dir);
	return ret;
}

static inline int files_remove_tree(struct fst_ctx *ctx, const char *path)
{
	int ret = files_remove_one(AT_FDCWD, path, DT_DIR);

	return ret ? fst_error(ctx, -ret, "remove %s", path) : 0;
}

/* A directory below the work directory that was not there before; its path is put into buf. */
static inline int files_make_own(struct fst_ctx *ctx, const char *name, char *buf)
{
	for (unsigned int i = 0; i < 10000; i++) {
		int n = snprintf(buf, FILES_PATH, "%s/%s.%u", ctx->dir, name, i);

		if (n < 0 || n >= FILES_PATH - 1500)
			return fst_error(ctx, ENAMETOOLONG, "directory %s", ctx->dir);
		if (mkdir(buf, 0755) == 0)
			return 0;
		if (errno != EEXIST)
			return fst_error(ctx, errno, "make directory %s", buf);
	}
	return fst_error(ctx, EEXIST, "make directory %s", buf);
}

/* So many more files may be open at once. */
static inline int files_allow_open(struct fst_ctx *ctx, uint64_t more)
{
	struct rlimit r;
	uint64_t want = more + 256;

	if (getrlimit(RLIMIT_NOFILE, &r) || r.rlim_cur >= want)
		return 0;
	if (r.rlim_max < want)
		return fst_error(ctx, EMFILE, "%llu directories are to be open at once, the limit is %llu",
				 (unsigned long long)more, (unsigned long long)r.rlim_max);
	r.rlim_cur = want;
	return setrlimit(RLIMIT_NOFILE, &r) ? fst_error(ctx, errno, "raise the limit of open files") : 0;
}

/* What a full file system is full of; empty when err says enough. */
static inline void files_why(const char *path, int err, char *buf, size_t size)
{
	struct statvfs v;
	struct statfs s;

	buf[0] = '\0';
	if (err == EDQUOT)
		snprintf(buf, size, " (quota used up)");
	if (err == EMLINK)
		snprintf(buf, size, " (as many links as the file system takes)");
	if (err != ENOSPC || statvfs(path, &v) || statfs(path, &s))
		return;
	if (v.f_files && !v.f_ffree && v.f_bavail)
		snprintf(buf, size, " (out of inodes: all %llu are used, %llu blocks are free)",
			 (unsigned long long)v.f_files, (unsigned long long)v.f_bavail);
	else if (s.f_type == FILES_EXT4_MAGIC && v.f_ffree && v.f_bavail > v.f_blocks / 100)
		snprintf(buf, size,
			 " (directory index full: %llu inodes and %llu blocks are free)",
			 (unsigned long long)v.f_ffree, (unsigned long long)v.f_bavail);
	else
		snprintf(buf, size, " (out of space: %llu blocks are free)",
			 (unsigned long long)v.f_bavail);
}
