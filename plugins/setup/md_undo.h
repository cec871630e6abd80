/* SPDX-License-Identifier: GPL-3.0-or-later */
/* md: finds the array of a UUID, stops it, and takes its superblocks from the devices. */
#pragma once

#include "block_disk.h"
#include "md_args.h"
#include "md_super.h"

#define MD_TRIES 5

/* Facts: "uuid", "array" NAME, and for each device "disk" TEXT, "member" PATH. */
struct md_saved {
	const char *uuid;
	const char *array; /* "md700": no array had this name when it was taken */
	struct block_members members;
	struct block_disks disks;
	char kernel[BLOCK_NAME_MAX]; /* "md127", while there is one */
};

static inline int md_saved_one(struct fst_ctx *ctx, const char *key, const char *value, void *arg)
{
	struct md_saved *s = arg;

	(void)ctx;
	if (strcmp(key, "member") == 0 && s->members.n < BLOCK_MAX_MEMBERS)
		s->members.v[s->members.n++] = value;
	else if (strcmp(key, "disk") == 0)
		block_disk_saved(&s->disks, s->members.n, value);
	return 0;
}

static inline int md_get_saved(struct fst_ctx *ctx, struct md_saved *s)
{
	memset(s, 0, sizeof(*s));
	s->uuid = fst_saved(ctx, "uuid");
	s->array = fst_saved(ctx, "array");
	return fst_saved_each(ctx, md_saved_one, s);
}

/* Does `mdadm VERB --export DEVICE` print KEY=uuid? No such device, or none of md's: no. */
static inline int md_shows_uuid(struct fst_ctx *ctx, const char *verb, const char *device,
				const char *uuid)
{
	struct fst_cmd_result res;
	struct block_args a = { .n = 0 };
	char want[64];
	const char *p;
	int r;

	block_arg(&a, "mdadm");
	block_arg(&a, "%s", verb);
	block_arg(&a, "--export");
	block_arg(&a, "%s", device);
	r = block_try(ctx, &a, &res);
	if (r < 0)
		return r;
	snprintf(want, sizeof(want), "MD_UUID=%s", uuid);
	p = strstr(block_out(&res), want);
	return p && strcspn(p + strlen(want), " \n") == 0;
}

/* 1: s->kernel is the array with this UUID. 0: there is none. Arrays are numbered by the kernel, so all are asked. */
static inline int md_find(struct fst_ctx *ctx, struct md_saved *s)
{
	char path[BLOCK_PATH_MAX], state[64];
	struct dirent *e;
	DIR *d = opendir("/sys/block");
	int r = 0;

	while (d && r == 0 && (e = readdir(d)) != NULL) {
		if (strncmp(e->d_name, "md", 2) != 0 ||
		    block_sys_read(e->d_name, "md/array_state", state, sizeof(state)) < 0 ||
		    strcmp(state, "clear") == 0)
			continue;
		snprintf(s->kernel, sizeof(s->kernel), "%.60s", e->d_name);
		snprintf(path, sizeof(path), "/dev/%s", s->kernel);
		r = md_shows_uuid(ctx, "--detail", path, s->uuid);
	}
	if (d)
		closedir(d);
	if (r <= 0)
		s->kernel[0] = '\0';
	return r;
}

static inline int md_stop_once(struct fst_ctx *ctx, void *arg)
{
	struct md_saved *s = arg;
	struct fst_cmd_result res;
	struct block_args a = { .n = 0 };
	int r = md_find(ctx, s);

	if (r <= 0)
		return r;
	block_arg(&a, "mdadm");
	block_arg(&a, "--stop");
	block_arg(&a, "/dev/%s", s->kernel);
	r = block_try(ctx, &a, &res);
	if (r < 0 || res.exit_status == 0)
		return r;
	return block_says_busy(&res) || strstr(block_err(&res), "Cannot get exclusive access")
		       ? -EBUSY
		       : block_refused(ctx, &a, &res);
}

/* Has the device, or the image, a superblock of this array? */
static inline int md_is_on(struct fst_ctx *ctx, const char *device, const char *uuid)
{
	struct stat st;

	if (stat(device, &st) == 0 && S_ISREG(st.st_mode))
		return md_super_in(device, uuid);
	return md_shows_uuid(ctx, "--examine", device, uuid);
}

/* Only the superblocks of this array: there may be more than one on a device. */
static inline int md_zero(struct fst_ctx *ctx, const struct md_saved *s, const char *device)
{
	struct fst_cmd_result res;
	struct block_args a = { .n = 0 };
	int i, r = 1;

	block_arg(&a, "mdadm");
	block_arg(&a, "--zero-superblock");
	block_arg(&a, "%s", device);
	for (i = 0; i < MD_TRIES; i++) {
		r = md_is_on(ctx, device, s->uuid);
		if (r <= 0)
			return r;
		r = block_try(ctx, &a, &res);
		if (r < 0)
			return r;
		if (res.exit_status != 0)
			block_pause();
	}
	r = md_is_on(ctx, device, s->uuid);
	if (r <= 0)
		return r;
	return res.exit_status != 0 ? block_refused(ctx, &a, &res)
				    : fst_error(ctx, EIO,
						"%s still has a superblock of the array; type: "
						"mdadm --zero-superblock %s",
						device, device);
}

static inline int md_lost_on(struct fst_ctx *ctx, const char *name, const char *path, void *arg)
{
	const struct md_saved *s = arg;
	int r = md_shows_uuid(ctx, "--examine", path, s->uuid);

	(void)name;
	return r <= 0 ? r
		      : fst_error(
				ctx, EEXIST,
				"%s has a superblock of the array %s, and nothing tells that it is "
				"the disk that was used; if it is, type: "
				"mdadm --zero-superblock %s",
				path, s->uuid, path);
}

/* Disks that are not found. Whatever carries the array's superblock now is named, and left as it is. */
static inline int md_lost(struct fst_ctx *ctx, struct md_saved *s)
{
	size_t i;
	int r = 0;

	for (i = 0; i < s->members.n && r == 0; i++) {
		if (!block_disk_lost(&s->disks, i))
			continue;
		r = block_each(ctx, md_lost_on, s);
		if (r == 0)
			fst_warning(ctx,
				    "%s is not there; should it come back as part of the array %s, "
				    "type: mdadm --zero-superblock DEVICE",
				    s->members.v[i], s->uuid);
	}
	return r;
}

/* From all of them, whatever they are called today; from its image where a loop is detached. */
static inline int md_zero_all(struct fst_ctx *ctx, struct md_saved *s)
{
	const char *at;
	int one, r = 0;
	size_t i;

	block_disks_find(ctx, &s->disks, &s->members);
	for (i = 0; i < s->members.n; i++) {
		at = s->disks.now[i];
		if (!at[0] && block_disk_lost(&s->disks, i) && s->disks.text[i] &&
		    block_disk_image(s->disks.text[i])) {
			at = block_disk_image(s->disks.text[i]);
			snprintf(s->disks.now[i], sizeof(s->disks.now[i]), "an image");
		}
		if (!at[0])
			continue;
		one = md_zero(ctx, s, at);
		r = r ? r : one;
	}
	return r ? r : md_lost(ctx, s);
}

static inline int md_stop(struct fst_ctx *ctx, struct md_saved *s)
{
	struct mount_holders h;
	char path[BLOCK_PATH_MAX];
	int r = block_until_free(ctx, md_stop_once, s, BLOCK_BUSY_NS);

	if (r != -EBUSY)
		return r;
	snprintf(path, sizeof(path), "/dev/%s", s->kernel);
	block_find_holders(&h, path);
	return fst_error(ctx, EBUSY,
			 "%s cannot be stopped, it is held by %s; then: mdadm --stop %s", path,
			 h.text, path);
}

/* An mdadm that was killed before it gave the array its devices: a disk of no size, which a "clear" takes away. */
static inline int md_drop_empty_once(struct fst_ctx *ctx, void *arg)
{
	const struct md_saved *s = arg;
	char state[64];

	(void)ctx;
	if (!s->array || block_sys_read(s->array, "md/array_state", state, sizeof(state)) < 0 ||
	    strcmp(state, "clear") != 0)
		return 0;
	block_sys_write(s->array, "md/array_state", "clear");
	return block_is_there(s->array) ? -EBUSY : 0;
}

static inline int md_drop_empty(struct fst_ctx *ctx, struct md_saved *s)
{
	int r = block_until_free(ctx, md_drop_empty_once, s, BLOCK_BUSY_NS);

	if (r != -EBUSY)
		return r;
	return fst_error(ctx, EBUSY,
			 "/dev/%s, an array without devices, stays; type: "
			 "echo clear >/sys/block/%s/md/array_state",
			 s->array, s->array);
}

static inline int md_undo(struct fst_ctx *ctx)
{
	struct md_saved s;
	int i, one, r = md_get_saved(ctx, &s);

	if (r < 0 || !s.uuid)
		return r;
	/* udev puts an array together again as long as it sees superblocks: look once more after they are gone. */
	for (i = 0; i < MD_TRIES; i++) {
		r = md_stop(ctx, &s);
		if (r == -EBUSY)
			return r;
		one = md_zero_all(ctx, &s);
		if (r < 0 || one < 0)
			return r < 0 ? r : one;
		r = md_find(ctx, &s);
		if (r <= 0)
			return r < 0 ? r : md_drop_empty(ctx, &s);
	}
	return fst_error(ctx, EBUSY, "/dev/%s comes back again and again", s.kernel);
}
