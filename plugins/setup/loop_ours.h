/* SPDX-License-Identifier: GPL-3.0-or-later */
/* loop: which loop device is over the image that a step made. */
#pragma once

#include <linux/loop.h>
#include <sys/ioctl.h>

#include "block_sys.h"

struct loop_saved {
	const char *image;
	unsigned long long dev, ino; /* 0, 0: not kept */
};

static inline bool loop_get_saved(struct fst_ctx *ctx, struct loop_saved *s)
{
	const char *inode = fst_saved(ctx, "inode");

	*s = (struct loop_saved){ .image = fst_saved(ctx, "image") };
	if (inode && sscanf(inode, "%llu:%llu", &s->dev, &s->ino) != 2)
		s->dev = s->ino = 0;
	return s->image != NULL;
}

/* Is the image behind this loop device? By what the kernel has open, where it can be asked. */
static inline bool loop_is_behind(const char *name, const struct loop_saved *s)
{
	char device[BLOCK_NAME_MAX + 8], file[4200], gone[4200];
	struct loop_info64 info;
	int fd, r;

	if (block_sys_read(name, "loop/backing_file", file, sizeof(file)) < 0)
		return false;
	snprintf(gone, sizeof(gone), "%.4000s (deleted)", s->image);
	if (strcmp(file, s->image) != 0 && strcmp(file, gone) != 0)
		return false;
	snprintf(device, sizeof(device), "/dev/%.50s", name);
	fd = s->ino ? open(device, O_RDONLY | O_CLOEXEC) : -1;
	r = fd < 0 ? -1 : ioctl(fd, LOOP_GET_STATUS64, &info);
	if (fd >= 0)
		close(fd);
	return r < 0 || (info.lo_device == s->dev && info.lo_inode == s->ino);
}

static inline bool loop_find(const struct loop_saved *s, char *name, size_t size)
{
	struct dirent *e;
	bool found = false;
	DIR *d = opendir("/sys/block");

	while (d && !found && (e = readdir(d)) != NULL) {
		found = strncmp(e->d_name, "loop", 4) == 0 && loop_is_behind(e->d_name, s);
		snprintf(name, size, "%.60s", e->d_name);
	}
	if (d)
		closedir(d);
	return found;
}
