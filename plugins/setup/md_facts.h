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

struct md_members {
	uint64_t least, most; /* where data begins, bytes */
	unsigned int n, write_mostly, spares;
};

/* One "dev-NAME" of the array. A device without a slot in it is a spare, whatever its state says. */
static inline void md_add_member(const char *kernel, const char *dev, struct md_members *m)
{
	char attr[128], text[128];
	uint64_t bytes;

	snprintf(attr, sizeof(attr), "md/%.60s/slot", dev);
	if (block_sys_read(kernel, attr, text, sizeof(text)) < 0)
		return;
	if (strcmp(text, "none") == 0) {
		m->spares++;
		return;
	}
	snprintf(attr, sizeof(attr), "md/%.60s/state", dev);
	if (block_sys_read(kernel, attr, text, sizeof(text)) == 0 && strstr(text, "write_mostly"))
		m->write_mostly++;
	snprintf(attr, sizeof(attr), "md/%.60s/offset", dev);
	if (block_sys_number(kernel, attr, &bytes) < 0)
		return;
	bytes *= 512;
	m->least = !m->n || bytes < m->least ? bytes : m->least;
	m->most = !m->n || bytes > m->most ? bytes : m->most;
	m->n++;
}

static inline void md_get_members(const char *kernel, struct md_members *m)
{
	char path[BLOCK_PATH_MAX];
	struct dirent *e;
	DIR *d;

	*m = (struct md_members){ .n = 0 };
	snprintf(path, sizeof(path), "/sys/block/%.60s/md", kernel);
	d = opendir(path);
	while (d && (e = readdir(d)) != NULL)
		if (strncmp(e->d_name, "dev-", 4) == 0)
			md_add_member(kernel, e->d_name, m);
	if (d)
		closedir(d);
}

static inline void md_say_members(struct fst_ctx *ctx, const struct md_cfg *c, const char *kernel)
{
	unsigned int has = md_kinds[c->level].has;
	struct md_members m;
	uint64_t chunk;

	md_get_members(kernel, &m);
	if (m.n)
		block_say_number(ctx, "data_offset", m.least);
	if (m.least != m.most)
		fst_warning(ctx,
			    "data begins at %" PRIu64 " bytes on one device and at %" PRIu64
			    " on another",
			    m.least, m.most);
	if ((has & MD_HAS_CHUNK) && block_sys_number(kernel, "md/chunk_size", &chunk) == 0 &&
	    chunk && m.least % chunk)
		fst_warning(ctx,
			    "data_offset, %" PRIu64
			    " bytes, is not a multiple of the chunk, %" PRIu64,
			    m.least, chunk);
	if (has & MD_HAS_COPIES)
		block_say_number(ctx, "write_mostly", m.write_mostly);
	if (has & MD_HAS_SYNC)
		block_say_number(ctx, "spares", m.spares);
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
