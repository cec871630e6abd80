/* SPDX-License-Identifier: GPL-3.0-or-later */
/* md: the parameters, and the command that they become. */
#pragma once

#include "block_cmd.h"
#include "block_members.h"

#define MD_UUID_TEXT 36 /* "01234567:01234567:01234567:01234567" */

#define MD_ARRAY_TEXT 16
#define MD_FIRST_NUMBER 512u
#define MD_NUMBERS 4096u

enum md_level { MD_LINEAR = 0, MD_RAID0, MD_RAID1, MD_RAID4, MD_RAID5, MD_RAID6, MD_RAID10 };

enum md_bitmap { MD_BITMAP_NONE = 0, MD_BITMAP_INTERNAL = 1 };

struct md_cfg {
	int level;
	struct fst_list devices;
	uint64_t chunk, spares, size, data_offset, bitmap_chunk, write_behind;
	const char *metadata, *layout;
	int bitmap;
	struct fst_list write_mostly;
	bool assume_clean;
	int sync;
	uint64_t sync_timeout, sync_speed_min, sync_speed_max;
};

enum md_has {
	MD_HAS_CHUNK = 1,
	MD_HAS_SYNC = 2, /* copies or parity, which have to become equal */
	MD_HAS_LAYOUT = 4,
	MD_HAS_COPIES = 8,
};

struct md_kind {
	const char *name; /* as sysfs has it */
	unsigned int has;
	unsigned int least; /* devices */
	const char *module;
};

static const struct md_kind md_kinds[] = {
	[MD_LINEAR] = { "linear", 0, 2, "linear" },
	[MD_RAID0] = { "raid0", MD_HAS_CHUNK | MD_HAS_LAYOUT, 2, "raid0" },
	[MD_RAID1] = { "raid1", MD_HAS_SYNC | MD_HAS_COPIES, 2, "raid1" },
	[MD_RAID4] = { "raid4", MD_HAS_CHUNK | MD_HAS_SYNC, 3, "raid456" },
	[MD_RAID5] = { "raid5", MD_HAS_CHUNK | MD_HAS_SYNC | MD_HAS_LAYOUT, 3, "raid456" },
	[MD_RAID6] = { "raid6", MD_HAS_CHUNK | MD_HAS_SYNC | MD_HAS_LAYOUT, 4, "raid456" },
	[MD_RAID10] = { "raid10", MD_HAS_CHUNK | MD_HAS_SYNC | MD_HAS_LAYOUT, 2, "raid10" },
};

static inline bool md_is_write_mostly(const struct fst_ctx *ctx, const struct md_cfg *c,
				      const char *device)
{
	const char *named;
	size_t i;

	for (i = 0; i < c->write_mostly.n; i++) {
		named = fst_target_device(ctx, c->write_mostly.v[i]);
		if (named && device && strcmp(named, device) == 0)
			return true;
	}
	return false;
}

static inline void md_arg_kib(struct block_args *a, const char *option, uint64_t bytes)
{
	if (bytes)
		block_arg(a, "%s=%" PRIu64 "K", option, bytes / 1024);
}

/* The last devices are the spares; mdadm's --write-mostly holds for all that are named behind it. */
static inline void md_arg_devices(const struct fst_ctx *ctx, struct block_args *a,
				  const struct md_cfg *c, const struct block_members *m,
				  size_t active)
{
	bool said = false;
	size_t i;

	for (i = 0; i < active; i++)
		if (!md_is_write_mostly(ctx, c, m->v[i]))
			block_arg(a, "%s", m->v[i]);
	for (i = 0; i < active; i++) {
		if (!md_is_write_mostly(ctx, c, m->v[i]))
			continue;
		if (!said)
			block_arg(a, "--write-mostly");
		said = true;
		block_arg(a, "%s", m->v[i]);
	}
	for (i = active; i < m->n; i++)
		block_arg(a, "%s", m->v[i]);
}

static inline void md_build_create(const struct fst_ctx *ctx, struct block_args *a,
				   const struct md_cfg *c, const struct block_members *m,
				   const char *array, const char *name, const char *uuid)
{
	size_t active = m->n - (size_t)c->spares;

	a->n = a->used = 0;
	a->full = false;
	block_arg(a, "mdadm");
	block_arg(a, "--create");
	block_arg(a, "/dev/%s", array);
	block_arg(a, "--config=none"); /* what the machine's own says is about its own arrays */
	block_arg(a, "--homehost=any");
	block_arg(a, "--name=%s", name);
	block_arg(a, "--uuid=%s", uuid);
	block_arg(a, "--run");
	block_arg(a, "--level=%s", md_kinds[c->level].name);
	block_arg(a, "--metadata=%s", c->metadata);
	md_arg_kib(a, "--chunk", c->chunk);
	if (c->layout)
		block_arg(a, "--layout=%s", c->layout);
	if (md_kinds[c->level].has & MD_HAS_SYNC)
		block_arg(a, "--bitmap=%s", c->bitmap == MD_BITMAP_INTERNAL ? "internal" : "none");
	md_arg_kib(a, "--bitmap-chunk", c->bitmap_chunk);
	if (c->write_behind)
		block_arg(a, "--write-behind=%" PRIu64, c->write_behind);
	md_arg_kib(a, "--size", c->size);
	md_arg_kib(a, "--data-offset", c->data_offset);
	if (c->assume_clean)
		block_arg(a, "--assume-clean");
	/* otherwise the last device of a new raid5 is a spare that is rebuilt, and shows as one */
	if (c->level == MD_RAID4 || c->level == MD_RAID5)
		block_arg(a, "--force");
	block_arg(a, "--raid-devices=%zu", active);
	if (c->spares)
		block_arg(a, "--spare-devices=%" PRIu64, c->spares);
	md_arg_devices(ctx, a, c, m, active);
}
