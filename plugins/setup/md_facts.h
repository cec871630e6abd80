/* SPDX-License-Identifier: GPL-3.0-or-later */
/* md: what is in force, as the kernel shows it. */
#pragma once

#include "md_undo.h"

static inline void md_say(struct fst_ctx *ctx, const char *kernel, const char *key,
			  const char *attr)
{
	char text[128];

	if (block_sys_read(kernel, attr, text, sizeof(text)) == 0 && text[0])
		fst_in_force(ctx, key, text);
}

/* Runs fn for each "dev-NAME" of the array, with the attribute's text. */
static inline void md_each_member(struct fst_ctx *ctx, const char *kernel, const char *attr,
				  void (*fn)(struct fst_ctx *ctx, const char *text, void *arg),
				  void *arg)
{
	char path[BLOCK_PATH_MAX], text[128];
	struct dirent *e;
	DIR *d;

	snprintf(path, sizeof(path), "/sys/block/%.60s/md", kernel);
	d = opendir(path);
	while (d && (e = readdir(d)) != NULL) {
		if (strncmp(e->d_name, "dev-", 4) != 0)
			continue;
		snprintf(path, sizeof(path), "md/%.60s/%s", e->d_name, attr);
		if (block_sys_read(kernel, path, text, sizeof(text)) == 0)
			fn(ctx, text, arg);
	}
	if (d)
		closedir(d);
}

struct md_offsets {
	uint64_t least, most; /* bytes */
	bool any;
};

static inline void md_offset_one(struct fst_ctx *ctx, const char *text, void *arg)
{
	struct md_offsets *o = arg;
	uint64_t bytes = strtoull(text, NULL, 10) * 512;

	(void)ctx;
	o->least = !o->any || bytes < o->least ? bytes : o->least;
	o->most = !o->any || bytes > o->most ? bytes : o->most;
	o->any = true;
}

/* "in_sync,write_mostly" or "spare" */
static inline void md_state_one(struct fst_ctx *ctx, const char *text, void *arg)
{
	(void)ctx;
	((unsigned int *)arg)[0] += strstr(text, "write_mostly") != NULL;
	((unsigned int *)arg)[1] += strstr(text, "spare") != NULL;
}

static inline void md_say_members(struct fst_ctx *ctx, const struct md_cfg *c, const char *kernel)
{
	struct md_offsets o = { .any = false };
	unsigned int states[2] = { 0, 0 };
	uint64_t chunk;

	md_each_member(ctx, kernel, "offset", md_offset_one, &o);
	if (o.any)
		block_say_number(ctx, "data_offset", o.least);
	if (o.least != o.most)
		fst_warning(ctx,
			    "data begins at %" PRIu64 " bytes on one device and at %" PRIu64
			    " on another",
			    o.least, o.most);
	if ((md_kinds[c->level].has & MD_HAS_CHUNK) &&
	    block_sys_number(kernel, "md/chunk_size", &chunk) == 0 && chunk && o.least % chunk)
		fst_warning(ctx,
			    "data_offset, %" PRIu64
			    " bytes, is not a multiple of the chunk, %" PRIu64,
			    o.least, chunk);
	md_each_member(ctx, kernel, "state", md_state_one, states);
	if (md_kinds[c->level].has & MD_HAS_COPIES)
		block_say_number(ctx, "write_mostly", states[0]);
	if (md_kinds[c->level].has & MD_HAS_SYNC)
		block_say_number(ctx, "spares", states[1]);
}

static inline void md_say_speed(struct fst_ctx *ctx, const char *kernel, const char *key)
{
	char attr[64];
	uint64_t kib;

	snprintf(attr, sizeof(attr), "md/%s", key);
	if (block_sys_number(kernel, attr, &kib) == 0)
		block_say_number(ctx, key, kib * 1024);
}

static inline void md_say_array(struct fst_ctx *ctx, const struct md_cfg *c, const char *kernel)
{
	char text[64];
	uint64_t number;

	md_say(ctx, kernel, "level", "md/level");
	md_say(ctx, kernel, "raid_disks", "md/raid_disks");
	md_say(ctx, kernel, "metadata", "md/metadata_version");
	md_say(ctx, kernel, "sync_action", "md/sync_action");
	if ((md_kinds[c->level].has & MD_HAS_CHUNK) &&
	    block_sys_number(kernel, "md/chunk_size", &number) == 0)
		block_say_number(ctx, "chunk", number);
	if ((md_kinds[c->level].has & MD_HAS_SYNC) &&
	    block_sys_read(kernel, "md/bitmap/location", text, sizeof(text)) == 0)
		fst_in_force(ctx, "bitmap", strcmp(text, "none") == 0 ? "none" : "internal");
	if (block_sys_number(kernel, "md/bitmap/chunksize", &number) == 0 && number)
		block_say_number(ctx, "bitmap_chunk", number);
	if (block_sys_number(kernel, "md/component_size", &number) == 0 && number)
		block_say_number(ctx, "size", number * 1024);
	md_say_speed(ctx, kernel, "sync_speed_min");
	md_say_speed(ctx, kernel, "sync_speed_max");
	md_say_members(ctx, c, kernel);
}
