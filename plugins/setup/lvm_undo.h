/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lvm: takes a volume group and what makes it one from its devices, in whatever state it is. */
#pragma once

#include "block_disk.h"
#include "lvm_args.h"
#include "lvm_label.h"

#define LVM_MAX_SAVED 128

/* Facts: "vg" NAME, and for each device "disk" TEXT, "pv" "UUID PATH". */
struct lvm_saved {
	const char *vg;
	struct block_members members;
	struct block_members here; /* what the tool may look at */
	struct block_disks disks;
	char uuids[BLOCK_MAX_MEMBERS][LVM_UUID_TEXT];
};

static inline int lvm_saved_one(struct fst_ctx *ctx, const char *key, const char *value, void *arg)
{
	struct lvm_saved *s = arg;

	(void)ctx;
	if (strcmp(key, "disk") == 0)
		block_disk_saved(&s->disks, s->members.n, value);
	if (strcmp(key, "pv") != 0 || s->members.n == BLOCK_MAX_MEMBERS ||
	    strlen(value) < LVM_UUID_TEXT)
		return 0;
	memcpy(s->uuids[s->members.n], value, LVM_UUID_TEXT - 1);
	s->uuids[s->members.n][LVM_UUID_TEXT - 1] = '\0';
	s->members.v[s->members.n++] = value + LVM_UUID_TEXT;
	return 0;
}

static inline int lvm_get_saved(struct fst_ctx *ctx, struct lvm_saved *s)
{
	memset(s, 0, sizeof(*s));
	s->vg = fst_saved(ctx, "vg");
	return fst_saved_each(ctx, lvm_saved_one, s);
}

/* ---- devices of the group that the tool does not remove ------------------------------------------ */

/* The kernel's name of a mapped device whose name begins with "VG-" and that nothing stands on. */
static inline bool lvm_find_mapped(const char *vg, char *kernel, size_t size, bool *held)
{
	char name[160], path[BLOCK_PATH_MAX];
	size_t len = strlen(vg);
	struct dirent *e, *h;
	bool found = false;
	DIR *d = opendir("/sys/block"), *holders;

	*held = false;
	while (d && !found && (e = readdir(d)) != NULL) {
		if (strncmp(e->d_name, "dm-", 3) != 0 ||
		    block_sys_read(e->d_name, "dm/name", name, sizeof(name)) < 0 ||
		    strncmp(name, vg, len) != 0 || name[len] != '-')
			continue;
		snprintf(path, sizeof(path), "/sys/block/%.60s/holders", e->d_name);
		holders = opendir(path);
		found = true;
		while (holders && found && (h = readdir(holders)) != NULL)
			found = h->d_name[0] == '.';
		if (holders)
			closedir(holders);
		*held |= !found;
		snprintf(kernel, size, "%.60s", e->d_name);
	}
	if (d)
		closedir(d);
	return found;
}

/* A tool that is killed may leave devices suspended: whoever reads them would wait for ever. */
static inline int lvm_resume_mapped(struct fst_ctx *ctx, const char *vg)
{
	struct fst_cmd_result res;
	struct block_args a;
	char name[160], state[8];
	size_t len = strlen(vg);
	struct dirent *e;
	DIR *d = opendir("/sys/block");
	int r = 0;

	while (d && r == 0 && (e = readdir(d)) != NULL) {
		if (strncmp(e->d_name, "dm-", 3) != 0 ||
		    block_sys_read(e->d_name, "dm/suspended", state, sizeof(state)) < 0 ||
		    strcmp(state, "1") != 0 ||
		    block_sys_read(e->d_name, "dm/name", name, sizeof(name)) < 0 ||
		    strncmp(name, vg, len) != 0 || name[len] != '-')
			continue;
		a.n = a.used = 0;
		a.full = false;
		block_arg(&a, "dmsetup");
		block_arg(&a, "resume");
		block_arg(&a, "%s", name);
		r = block_try(ctx, &a, &res);
	}
	if (d)
		closedir(d);
	return r;
}

struct lvm_mapped {
	const char *vg;
	char kernel[BLOCK_NAME_MAX]; /* the one that could not be removed */
};

/* All of them, from the top: what the tool left when it died, or cannot see as its devices are gone. */
static inline int lvm_remove_mapped(struct fst_ctx *ctx, void *arg)
{
	struct lvm_mapped *m = arg;
	struct fst_cmd_result res;
	struct block_args a;
	char name[160];
	bool held;
	int r;

	while (lvm_find_mapped(m->vg, m->kernel, sizeof(m->kernel), &held)) {
		if (block_sys_read(m->kernel, "dm/name", name, sizeof(name)) < 0)
			continue;
		a.n = a.used = 0;
		a.full = false;
		block_arg(&a, "dmsetup");
		block_arg(&a, "remove");
		block_arg(&a, "%s", name);
		r = block_try(ctx, &a, &res);
		if (r < 0)
			return r;
		if (res.exit_status != 0)
			return block_says_busy(&res) ? -EBUSY : block_refused(ctx, &a, &res);
	}
	return held ? -EBUSY : 0;
}

/* ---- the group, the volumes ---------------------------------------------------------------------- */

/* 1: gone or never there. 0: the tool does not get rid of it. -EBUSY: in use. */
static inline int lvm_vg_remove_once(struct fst_ctx *ctx, void *arg)
{
	struct lvm_saved *s = arg;
	struct fst_cmd_result res;
	struct block_args a;
	int r;

	lvm_command(&a, "vgremove", &s->here);
	block_arg(&a, "--force");
	block_arg(&a, "--force");
	block_arg(&a, "--yes");
	block_arg(&a, "%s", s->vg);
	r = block_try(ctx, &a, &res);
	if (r < 0)
		return r;
	if (res.exit_status == 0 || strstr(block_err(&res), "not found"))
		return 1;
	return block_says_busy(&res) ? -EBUSY : 0;
}

static inline int lvm_held(struct fst_ctx *ctx, const char *vg)
{
	struct mount_holders h;
	char path[160];

	snprintf(path, sizeof(path), "/dev/mapper/%.100s-%s", vg, LVM_VOLUME);
	block_find_holders(&h, path);
	return fst_error(ctx, EBUSY,
			 "%s cannot be removed, it is held by %s; then: lvm vgremove -ff -y %s",
			 path, h.text, vg);
}

static inline int lvm_vg_remove(struct fst_ctx *ctx, struct lvm_saved *s)
{
	struct lvm_mapped mapped = { .vg = s->vg };
	int r = lvm_resume_mapped(ctx, s->vg);

	if (r == 0)
		r = block_until_free(ctx, lvm_vg_remove_once, s, BLOCK_BUSY_NS);
	if (r == -EBUSY)
		return lvm_held(ctx, s->vg);
	if (r < 0)
		return r;
	r = block_until_free(ctx, lvm_remove_mapped, &mapped, BLOCK_BUSY_NS);
	return r == -EBUSY ? lvm_held(ctx, s->vg) : r;
}

/* Only what carries the UUID that this step gave it. */
static inline int lvm_pv_remove(struct fst_ctx *ctx, const struct lvm_saved *s)
{
	struct fst_cmd_result res;
	struct block_args a;
	size_t i, n = 0;
	int r;

	lvm_command(&a, "pvremove", &s->here);
	block_arg(&a, "--force");
	block_arg(&a, "--force");
	block_arg(&a, "--yes");
	for (i = 0; i < s->members.n; i++) {
		if (!lvm_has_label(s->disks.now[i], s->uuids[i]))
			continue;
		block_arg(&a, "%s", s->disks.now[i]);
		n++;
	}
	if (!n)
		return 0;
	r = block_try(ctx, &a, &res);
	for (i = 0; i < s->members.n && r == 0; i++) {
		if (!lvm_has_label(s->disks.now[i], s->uuids[i]))
			continue;
		if (res.exit_status != 0)
			return block_refused(ctx, &a, &res);
		r = fst_error(ctx, EIO,
			      "%s still is a physical volume; type: lvm pvremove -ff -y %s",
			      s->disks.now[i], s->disks.now[i]);
	}
	return r;
}

/* ---- devices with another name than they had ------------------------------------------------------ */

/* What has the name of one of them by now, and is another disk, is not for the tool to see. */
static inline void lvm_find_members(struct fst_ctx *ctx, struct lvm_saved *s)
{
	size_t i;

	block_disks_find(ctx, &s->disks, &s->members);
	for (i = 0; i < s->members.n; i++)
		if (s->disks.now[i][0] || !s->disks.text[i])
			s->here.v[s->here.n++] = s->disks.now[i][0] ? s->disks.now[i]
								    : s->members.v[i];
}

struct lvm_lost {
	const struct lvm_saved *s;
	size_t i;
};

static inline int lvm_lost_on(struct fst_ctx *ctx, const char *name, const char *path, void *arg)
{
	const struct lvm_lost *l = arg;

	(void)name;
	return !lvm_has_label(path, l->s->uuids[l->i])
		       ? 0
		       : fst_error(ctx, EEXIST,
				   "%s is the physical volume %s, and nothing tells that it is the "
				   "disk that was used; if it is, type: lvm pvremove -ff -y %s",
				   path, l->s->uuids[l->i], path);
}

/* Disks that are not found. Whatever carries the label now is named, and left as it is. */
static inline int lvm_lost(struct fst_ctx *ctx, const struct lvm_saved *s)
{
	struct lvm_lost l = { s, 0 };
	int r = 0;

	for (; l.i < s->members.n && r == 0; l.i++) {
		if (!block_disk_lost(&s->disks, l.i))
			continue;
		r = block_each(ctx, lvm_lost_on, &l);
		if (r == 0)
			fst_warning(ctx,
				    "%s is not there; should it come back as a part of %s, type: "
				    "lvm pvremove -ff -y DEVICE",
				    s->members.v[l.i], s->vg);
	}
	return r;
}

static inline int lvm_undo(struct fst_ctx *ctx)
{
	struct lvm_saved s;
	int r = lvm_get_saved(ctx, &s), one;

	if (r < 0 || !s.vg)
		return r;
	lvm_find_members(ctx, &s);
	r = lvm_vg_remove(ctx, &s);
	/* With the group in use its devices are not to be touched. */
	one = r == -EBUSY ? r : lvm_pv_remove(ctx, &s);
	if (r == 0 && one == 0)
		r = lvm_lost(ctx, &s);
	return r < 0 ? r : one;
}
