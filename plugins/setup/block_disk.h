/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which disk a device is, in words that outlive its name. Members of arrays and groups are kept with them, so that
 * undoing finds one that has another name meanwhile: another number of a loop, another order after a reboot.
 */
#pragma once

#include "block_members.h"

#define BLOCK_DISK_MAX 4400 /* a path of an image is the longest in it */

/* The whole disk's directory in /sys, of which NAME may be a partition; its number, 0 for the disk itself. */
static inline void block_disk_whole(const char *name, char *disk, size_t size, uint64_t *part)
{
	char path[BLOCK_PATH_MAX], target[4096], *base;
	ssize_t n;

	snprintf(disk, size, "%.63s", name);
	if (block_sys_number(name, "partition", part) < 0 || !*part)
		return;
	snprintf(path, sizeof(path), "/sys/class/block/%.63s", name);
	n = readlink(path, target, sizeof(target) - 1);
	if (n <= 0)
		return;
	/* ".../block/sda/sda1" */
	target[n] = '\0';
	base = strrchr(target, '/');
	if (base)
		*base = '\0';
	base = strrchr(target, '/');
	if (base)
		snprintf(disk, size, "%.63s", base + 1);
}

/* "KIND:TEXT" by which the disk is known at any time, or "". */
static inline void block_disk_lasting(const char *disk, char *id, size_t size)
{
	static const struct {
		const char *attr, *kind;
	} ids[] = {
		{ "dm/uuid", "dm" },
		{ "md/uuid", "md" },
		{ "loop/backing_file", "file" },
		{ "wwid", "wwid" },
		{ "device/wwid", "wwid" },
		{ "serial", "serial" },
		{ "device/serial", "serial" },
	};
	char text[4200], *gone;
	size_t i;

	id[0] = '\0';
	for (i = 0; i < sizeof(ids) / sizeof(ids[0]) && !id[0]; i++)
		if (block_sys_read(disk, ids[i].attr, text, sizeof(text)) == 0 &&
		    text[strspn(text, " ")])
			snprintf(id, size, "%s:%s", ids[i].kind, text);
	/* an image that somebody unlinked is behind its loop all the same */
	gone = strncmp(id, "file:", 5) == 0 ? strstr(id, " (deleted)") : NULL;
	if (gone && !gone[10])
		*gone = '\0';
}

/*
 * "PARTITION NUMBER@BOOT ID". The kernel gives a number to no second disk in one boot; ID tells them over boots, and
 * when a disk went away meanwhile and came back.
 */
static inline void block_disk_text(const char *name, char *text, size_t size)
{
	char disk[BLOCK_NAME_MAX], id[4240], seq[32], boot[64] = "-";
	uint64_t part = 0;
	FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");

	if (!f || fscanf(f, "%63s", boot) != 1)
		snprintf(boot, sizeof(boot), "-");
	if (f)
		fclose(f);
	block_disk_whole(name, disk, sizeof(disk), &part);
	block_disk_lasting(disk, id, sizeof(id));
	if (block_sys_read(disk, "diskseq", seq, sizeof(seq)) < 0)
		snprintf(seq, sizeof(seq), "-");
	snprintf(text, size, "%" PRIu64 " %s@%s %s", part, seq, boot, id);
}

/* Two such texts of one disk? */
static inline bool block_disk_is(const char *a, const char *b)
{
	size_t part = strcspn(a, " "), seq, seq_b;

	if (!a[part] || strncmp(a, b, part + 1) != 0)
		return false;
	a += part + 1;
	b += part + 1;
	seq = strcspn(a, " ");
	seq_b = strcspn(b, " ");
	if (a[0] != '-' && seq == seq_b && memcmp(a, b, seq) == 0)
		return true;
	return a[seq] && a[seq + 1] && strcmp(a + seq, b + seq_b) == 0;
}

/* The image of a loop device that such a text is of, or NULL. */
static inline const char *block_disk_image(const char *text)
{
	const char *id = strncmp(text, "0 ", 2) == 0 ? strchr(text + 2, ' ') : NULL;

	return id && strncmp(id, " file:/", 7) == 0 ? id + 6 : NULL;
}

/* Calls fn with "/dev/NAME" of each device that has a size; stops at the first result but 0, and gives it. */
static inline int block_each(struct fst_ctx *ctx,
			     int (*fn)(struct fst_ctx *ctx, const char *name, const char *path,
				       void *arg),
			     void *arg)
{
	char path[BLOCK_NAME_MAX + 8], *p;
	DIR *d = opendir("/sys/class/block");
	struct dirent *e;
	uint64_t sectors;
	int r = 0;

	while (d && r == 0 && (e = readdir(d)) != NULL) {
		if (e->d_name[0] == '.' || block_sys_number(e->d_name, "size", &sectors) < 0 ||
		    !sectors)
			continue;
		snprintf(path, sizeof(path), "/dev/%.63s", e->d_name);
		for (p = path; (p = strchr(p, '!')) != NULL;)
			*p = '/';
		r = fn(ctx, e->d_name, path, arg);
	}
	if (d)
		closedir(d);
	return r;
}

/* ---- members: each "member" fact with the "disk" that it is -------------------------------------- */

struct block_disks {
	const char *text[BLOCK_MAX_MEMBERS];	     /* NULL: not kept */
	char now[BLOCK_MAX_MEMBERS][BLOCK_PATH_MAX]; /* "": not found */
};

/* Before the fact that names the device. */
static inline int block_disk_save(struct fst_ctx *ctx, const char *device)
{
	char name[BLOCK_NAME_MAX], text[BLOCK_DISK_MAX];

	if (block_kernel_name(device, name, sizeof(name)) < 0)
		return 0;
	block_disk_text(name, text, sizeof(text));
	return fst_save(ctx, "disk", text);
}

/* In fst_saved_each(), which goes backwards: `n` members were there before this "disk". */
static inline void block_disk_saved(struct block_disks *d, size_t n, const char *value)
{
	if (n && !d->text[n - 1])
		d->text[n - 1] = value;
}

/* Was it not found? One that was an image is of no interest when that is gone too. */
static inline bool block_disk_lost(const struct block_disks *d, size_t i)
{
	const char *image = d->text[i] ? block_disk_image(d->text[i]) : NULL;

	return !d->now[i][0] && (!image || access(image, F_OK) == 0);
}

struct block_disk_search {
	const char *text;
	char *now;
};

static inline int block_disk_try(struct fst_ctx *ctx, const char *name, const char *path, void *arg)
{
	const struct block_disk_search *s = arg;
	char text[BLOCK_DISK_MAX];

	(void)ctx;
	block_disk_text(name, text, sizeof(text));
	if (!block_disk_is(s->text, text))
		return 0;
	snprintf(s->now, BLOCK_PATH_MAX, "%s", path);
	return 1;
}

/* Fills `now`: the name that was kept as long as it leads to that disk, else the one that it has today. */
static inline void block_disks_find(struct fst_ctx *ctx, struct block_disks *d,
				    const struct block_members *m)
{
	char name[BLOCK_NAME_MAX], text[BLOCK_DISK_MAX];
	size_t i;

	for (i = 0; i < m->n; i++) {
		struct block_disk_search s = { d->text[i], d->now[i] };
		bool there = block_kernel_name(m->v[i], name, sizeof(name)) == 0;

		d->now[i][0] = '\0';
		if (there && s.text)
			block_disk_text(name, text, sizeof(text));
		if (there && (!s.text || block_disk_is(s.text, text)))
			snprintf(d->now[i], sizeof(d->now[i]), "%s", m->v[i]);
		else if (s.text)
			block_each(ctx, block_disk_try, &s);
	}
}
