/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mount: the directory to mount on, a second place for what is mounted, and the way back. */
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <fstrial/plugin.h>

#include "mount_options.h"

/* A new directory with a name that nobody can foresee; its name is kept before it is made. */
static inline int mount_make_dir(struct fst_ctx *ctx, char *dir, size_t size)
{
	const char *base = "/run/fstrial";
	uint64_t id;
	int r;

	if (getrandom(&id, sizeof(id), 0) != sizeof(id))
		return fst_error(ctx, errno, "getrandom");
	/* A program that runs as another user must come through, whatever the umask; but not list the names. */
	if ((mkdir(base, 0711) < 0 && errno != EEXIST) || chmod(base, 0711) < 0)
		base = "/tmp";
	snprintf(dir, size, "%s/mnt-%016llx", base, (unsigned long long)id);
	r = fst_save(ctx, "mountpoint", dir);
	if (r < 0)
		return r;
	return mkdir(dir, 0700) < 0 ? fst_error(ctx, errno, "make directory %s", dir) : 0;
}

/* What is mounted on `from` is shown on `to`, with the options as its own; nobody sees it without them. */
static inline int mount_bind(struct fst_ctx *ctx, const struct mount_options *options,
			     const char *from, const char *to)
{
	struct mount_attr attr = { 0 };
	int fd = open_tree(AT_FDCWD, from, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC), r = 0;
	size_t i;

	if (fd < 0)
		return fst_error(ctx, errno, "take a second view of %s", from);
	for (i = 0; i < options->n; i++) {
		const struct mount_flag *f = mount_flag_find(options->v[i].name);

		if (!f || mount_idle(options, i))
			continue;
		attr.attr_clr |= f->clear;
		attr.attr_set = (attr.attr_set & ~f->clear) | f->set;
	}
	if (mount_setattr(fd, "", AT_EMPTY_PATH, &attr, sizeof(attr)) < 0)
		r = fst_error(ctx, errno, "set options of the second view of %s", from);
	else if (move_mount(fd, "", AT_FDCWD, to, MOVE_MOUNT_F_EMPTY_PATH) < 0)
		r = fst_error(ctx, errno, "show %s on %s", from, to);
	close(fd);
	return r;
}

/*
 * Takes away every mount that is there. Busy ones get a while: a process may just be on its way
 * out.
 */
static inline int mount_umount(const char *dir, uint64_t patience_ns)
{
	const struct timespec pause = { .tv_nsec = 50000000 };

	for (;;) {
		if (umount2(dir, UMOUNT_NOFOLLOW) == 0)
			continue;
		if (errno == EINVAL || errno == ENOENT || errno == ENOTDIR)
			return 0;
		if (errno != EBUSY || patience_ns < (uint64_t)pause.tv_nsec)
			return -errno;
		patience_ns -= (uint64_t)pause.tv_nsec;
		nanosleep(&pause, NULL);
	}
}
