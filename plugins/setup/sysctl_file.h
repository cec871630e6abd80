/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sysctl: the files of the kernel's settings. */
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "near_name.h"
#include "sysctl_plan.h"

/* Unit tests have a directory of their own. */
#ifndef SYSCTL_ROOT
#define SYSCTL_ROOT "/proc/sys"
#endif

#define SYSCTL_PATH_MAX (SYSCTL_NAME_MAX + 64)

static const char *sysctl_path(const char *name, char *buf)
{
	snprintf(buf, SYSCTL_PATH_MAX, "%s/%s", SYSCTL_ROOT, name);
	return buf;
}

/* The value in its normal form. A value of several lines is -EOVERFLOW. */
static int sysctl_read(const char *name, char *value)
{
	char path[SYSCTL_PATH_MAX], raw[SYSCTL_VALUE_MAX];
	int fd = open(sysctl_path(name, path), O_RDONLY | O_CLOEXEC);
	ssize_t n;
	int r;

	if (fd < 0)
		return -errno;
	n = read(fd, raw, sizeof(raw) - 1);
	r = n < 0 ? -errno : 0;
	close(fd);
	if (r < 0)
		return r;
	while (n > 0 && isspace((unsigned char)raw[n - 1]))
		n--;
	raw[n] = '\0';
	if (strchr(raw, '\n') || n == sizeof(raw) - 1)
		return -EOVERFLOW;
	return sysctl_normal(value, SYSCTL_VALUE_MAX, raw);
}

static int sysctl_write(const char *name, const char *value)
{
	char path[SYSCTL_PATH_MAX];
	int r, fd = open(sysctl_path(name, path), O_WRONLY | O_TRUNC | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = write(fd, value, strlen(value));
	r = n < 0 ? -errno : (size_t)n != strlen(value) ? -EIO : 0;
	if (close(fd) < 0 && !r)
		r = -errno;
	return r;
}

/* "vm.dirty_ratios" is not there: which part of it, and what may be meant? */
static int sysctl_unknown(struct fst_ctx *ctx, const char *name)
{
	char path[SYSCTL_PATH_MAX], near[NEAR_NAME_MAX + 32], dotted[SYSCTL_NAME_MAX];
	char *end, *part;
	struct stat st;

	sysctl_path(name, path);
	for (end = strrchr(path, '/'); end; end = strrchr(path, '/')) {
		*end = '\0';
		part = end + 1;
		if (stat(path, &st) == 0 || strcmp(path, SYSCTL_ROOT) == 0)
			return fst_error(ctx, ENOENT, "this kernel has no %s: %s has no %s%s",
					 sysctl_dotted(name, dotted), path, part,
					 near_name(path, part, near, sizeof(near)));
	}
	return fst_error(ctx, ENOENT, "%s", path);
}

/* Can it be set, and put back? */
static int sysctl_usable(struct fst_ctx *ctx, const char *name)
{
	char path[SYSCTL_PATH_MAX], dotted[SYSCTL_NAME_MAX];
	struct stat st;

	if (stat(sysctl_path(name, path), &st) < 0)
		return errno == ENOENT || errno == ENOTDIR ? sysctl_unknown(ctx, name)
							   : fst_error(ctx, errno, "%s", path);
	sysctl_dotted(name, dotted);
	if (S_ISDIR(st.st_mode))
		return fst_error(ctx, EISDIR, "%s is a group of settings", dotted);
	if (!(st.st_mode & 0222))
		return fst_error(ctx, EACCES, "%s is read-only", dotted);
	if (!(st.st_mode & 0444))
		return fst_error(ctx, EACCES, "%s can only be written, so it could not be put back",
				 dotted);
	if (access(path, W_OK) < 0)
		return fst_error(ctx, errno, "%s may not be written", path);
	return 0;
}
