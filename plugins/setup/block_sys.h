/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Block devices as the kernel shows them, for the plugins that make some (dm, loop, lvm, md, zram):
 * names, values in sysfs, who holds one, waiting until it is let go.
 */
#pragma once

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include <fstrial/plugin.h>

#include "mount_holders.h"

#define BLOCK_NAME_MAX 64
#define BLOCK_PATH_MAX 256
#define BLOCK_BUSY_NS UINT64_C(10000000000) /* how long revert waits for somebody to let go */

/* ---- names and values ------------------------------------------------------------------------ */

/* A name that no other session has: PREFIX and 16 hexadecimal digits. */
static inline int block_new_name(struct fst_ctx *ctx, const char *prefix, char *buf, size_t size)
{
	uint64_t id;

	if (getrandom(&id, sizeof(id), 0) != sizeof(id))
		return fst_error(ctx, errno, "getrandom");
	snprintf(buf, size, "%s%016" PRIx64, prefix, id);
	return 0;
}

/* In check: no device of the list twice. */
static inline int block_named_once(struct fst_ctx *ctx, const struct fst_list *devices)
{
	size_t i, k;

	for (i = 1; i < devices->n; i++)
		for (k = 0; k < i; k++)
			if (strcmp(devices->v[i], devices->v[k]) == 0)
				return fst_error(ctx, 0, "devices: %s is named twice",
						 devices->v[i]);
	return 0;
}

/* "sda1" of "/dev/disk/by-id/..."; -errno when it is no block device. */
static inline int block_kernel_name(const char *device, char *buf, size_t size)
{
	char path[BLOCK_PATH_MAX], target[4096];
	struct stat st;
	const char *base;
	ssize_t n;

	if (stat(device, &st) < 0)
		return -errno;
	if (!S_ISBLK(st.st_mode))
		return -ENOTBLK;
	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u", major(st.st_rdev), minor(st.st_rdev));
	n = readlink(path, target, sizeof(target) - 1);
	if (n < 0)
		return -errno;
	target[n] = '\0';
	base = strrchr(target, '/');
	snprintf(buf, size, "%.63s", base ? base + 1 : target);
	return 0;
}

/* The first line of /sys/class/block/NAME/ATTR, without its end. */
static inline int block_sys_read(const char *name, const char *attr, char *buf, size_t size)
{
	char path[BLOCK_PATH_MAX];
	ssize_t n;
	int fd;

	buf[0] = '\0';
	snprintf(path, sizeof(path), "/sys/class/block/%.63s/%.120s", name, attr);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	n = read(fd, buf, size - 1);
	if (n < 0) {
		n = -errno;
		close(fd);
		return (int)n;
	}
	close(fd);
	buf[n] = '\0';
	buf[strcspn(buf, "\n")] = '\0';
	return 0;
}

static inline int block_sys_number(const char *name, const char *attr, uint64_t *number)
{
	char text[64];
	int r = block_sys_read(name, attr, text, sizeof(text));

	*number = r == 0 ? strtoull(text, NULL, 10) : 0;
	return r;
}

static inline int block_sys_write(const char *name, const char *attr, const char *value)
{
	char path[BLOCK_PATH_MAX];
	int fd, r;

	snprintf(path, sizeof(path), "/sys/class/block/%.63s/%.120s", name, attr);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	r = write(fd, value, strlen(value)) < 0 ? -errno : 0;
	if (close(fd) < 0 && r == 0)
		r = -errno;
	return r;
}

static inline bool block_is_there(const char *name)
{
	char path[BLOCK_PATH_MAX];

	snprintf(path, sizeof(path), "/sys/class/block/%s", name);
	return access(path, F_OK) == 0;
}

/* Bytes; 0 when it is not there. */
static inline uint64_t block_size(const char *device)
{
	char name[BLOCK_NAME_MAX];
	uint64_t sectors = 0;

	if (block_kernel_name(device, name, sizeof(name)) == 0)
		block_sys_number(name, "size", &sectors);
	return sectors * 512;
}

static inline void block_say_number(struct fst_ctx *ctx, const char *key, uint64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	fst_in_force(ctx, key, text);
}

static inline void block_ask_number(struct fst_ctx *ctx, const char *key, uint64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	fst_asked(ctx, key, text, 0);
}

/*
 * What a file system above will see of the layers below: the optimal I/O sizes and by how much the device is
 * off its own physical blocks.
 */
static inline void block_say_limits(struct fst_ctx *ctx, const char *device)
{
	static const char *const attrs[] = { "queue/minimum_io_size", "queue/optimal_io_size",
					     "queue/logical_block_size",
					     "queue/physical_block_size", "alignment_offset" };
	char name[BLOCK_NAME_MAX], text[64];
	const char *base;
	size_t i;

	if (block_kernel_name(device, name, sizeof(name)) < 0)
		return;
	for (i = 0; i < sizeof(attrs) / sizeof(attrs[0]); i++) {
		base = strrchr(attrs[i], '/');
		if (block_sys_read(name, attrs[i], text, sizeof(text)) == 0 && text[0])
			fst_in_force(ctx, base ? base + 1 : attrs[i], text);
	}
	if (block_sys_read(name, "alignment_offset", text, sizeof(text)) == 0 &&
	    strcmp(text, "0") != 0)
		fst_warning(ctx,
			    "%s does not begin at a physical block of what is below: it is off by "
			    "%s bytes",
			    device, text);
}

/* ---- who has it, and until when --------------------------------------------------------------- */

static inline void block_find_layers(struct mount_holders *h, const char *name)
{
	char path[BLOCK_PATH_MAX], text[320], dm[128];
	struct dirent *e;
	DIR *d;

	snprintf(path, sizeof(path), "/sys/class/block/%s/holders", name);
	d = opendir(path);
	while (d && (e = readdir(d)) != NULL) {
		if (e->d_name[0] == '.')
			continue;
		if (block_sys_read(e->d_name, "dm/name", dm, sizeof(dm)) == 0)
			snprintf(text, sizeof(text), "/dev/mapper/%s above it", dm);
		else
			snprintf(text, sizeof(text), "/dev/%.60s above it", e->d_name);
		mount_holder_add(h, text);
	}
	if (d)
		closedir(d);
}

static inline void block_find_mounts(struct mount_holders *h, const char *name)
{
	char line[4096], dev[32], id[34], text[512], *p, *rest;
	FILE *f = block_sys_read(name, "dev", dev, sizeof(dev)) == 0
			  ? fopen("/proc/self/mountinfo", "re")
			  : NULL;

	while (f && fgets(line, sizeof(line), f)) {
		rest = line;
		strsep(&rest, " ");
		strsep(&rest, " ");
		p = strsep(&rest, " ");
		snprintf(id, sizeof(id), "%s", p ? p : "");
		strsep(&rest, " ");
		p = strsep(&rest, " ");
		if (!p || strcmp(id, dev) != 0)
			continue;
		snprintf(text, sizeof(text), "the mount on %.400s", p);
		mount_holder_add(h, text);
	}
	if (f)
		fclose(f);
}

/* By their open files: /proc/PID/fd shows the names that they opened. */
static inline void block_find_openers(struct mount_holders *h, const char *device)
{
	struct mount_holders found = { .dir = device };
	char real[4096];

	mount_find_processes(&found);
	if (realpath(device, real) && strcmp(real, device) != 0) {
		found.dir = real;
		mount_find_processes(&found);
	}
	if (found.n)
		mount_holder_add(h, found.text);
}

/* "who" for the end of a sentence. */
static inline void block_find_holders(struct mount_holders *h, const char *device)
{
	char name[BLOCK_NAME_MAX];

	memset(h, 0, sizeof(*h));
	h->dir = device;
	if (block_kernel_name(device, name, sizeof(name)) == 0) {
		block_find_layers(h, name);
		block_find_mounts(h, name);
	}
	block_find_openers(h, device);
	mount_find_lines(h, "/proc/swaps", 0, "the swap");
	if (!h->text[0])
		snprintf(h->text, sizeof(h->text), "something that /proc and /sys do not show");
}

static inline void block_pause(void)
{
	const struct timespec ts = { .tv_nsec = 50000000 };

	nanosleep(&ts, NULL);
}

/*
 * Calls fn until it gives anything but -EBUSY, for at most limit_ns, and gives that. Programs that look at new
 * disks (udev, a scan of a neighbour) have a device open for moments.
 */
static inline int block_until_free(struct fst_ctx *ctx, int (*fn)(struct fst_ctx *ctx, void *arg),
				   void *arg, uint64_t limit_ns)
{
	uint64_t end = fst_now(ctx) + limit_ns;
	int r;

	while ((r = fn(ctx, arg)) == -EBUSY && fst_now(ctx) < end)
		block_pause();
	return r;
}

/* Just before its bytes change: nobody else may have it open for himself. */
static inline int block_is_free(struct fst_ctx *ctx, const char *device)
{
	struct mount_holders h;
	int fd = open(device, O_RDWR | O_EXCL | O_CLOEXEC);

	if (fd >= 0) {
		close(fd);
		return 0;
	}
	if (errno != EBUSY)
		return fst_error(ctx, errno, "open %s", device);
	block_find_holders(&h, device);
	return fst_error(ctx, EBUSY, "%s is held by %s", device, h.text);
}

static inline int block_is_free_arg(struct fst_ctx *ctx, void *arg)
{
	int fd = open((const char *)arg, O_RDWR | O_EXCL | O_CLOEXEC);

	(void)ctx;
	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

/* The same with patience: for a device that was let go a moment ago. */
static inline int block_wait_free(struct fst_ctx *ctx, const char *device)
{
	block_until_free(ctx, block_is_free_arg, (void *)(uintptr_t)device, BLOCK_BUSY_NS);
	return block_is_free(ctx, device);
}
