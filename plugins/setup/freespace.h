/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How the free space of a mounted file system lies: extents by size, as the file system itself says (GETFSMAP). */
#pragma once

#include <errno.h>
#include <inttypes.h>
#include <linux/fsmap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include <fstrial/plugin.h>

#define FREESPACE_BUCKETS 64
#define FREESPACE_BATCH 1024

struct freespace {
	uint64_t extents, bytes, largest;
	uint64_t count
		[FREESPACE_BUCKETS]; /* k: extents of 2^k bytes or more, and less than twice that */
};

static void freespace_add(struct freespace *f, uint64_t length)
{
	if (!length)
		return;
	f->extents++;
	f->bytes += length;
	f->largest = length > f->largest ? length : f->largest;
	f->count[63 - __builtin_clzll(length)]++;
}

/* Neighbours that the answer has in two parts (at the border of a batch or of a group) stay two. */
static void freespace_take(struct freespace *f, const struct fsmap_head *h)
{
	uint32_t i;

	for (i = 0; i < h->fmh_entries; i++) {
		const struct fsmap *r = &h->fmh_recs[i];

		if ((r->fmr_flags & FMR_OF_SPECIAL_OWNER) && r->fmr_owner == FMR_OWN_FREE)
			freespace_add(f, r->fmr_length);
	}
}

/* fd: anything in the file system. -ENOTTY or -EOPNOTSUPP where there is no such call. */
static int freespace_get(int fd, struct freespace *f)
{
	struct fsmap_head *h = calloc(1, fsmap_sizeof(FREESPACE_BATCH));
	const struct fsmap *last;
	int r;

	memset(f, 0, sizeof(*f));
	if (!h)
		return -ENOMEM;
	h->fmh_count = FREESPACE_BATCH;
	memset(&h->fmh_keys[1], 0xff, sizeof(h->fmh_keys[1]));
	h->fmh_keys[1].fmr_length = 0;
	memset(h->fmh_keys[1].fmr_reserved, 0, sizeof(h->fmh_keys[1].fmr_reserved));
	for (;;) {
		r = ioctl(fd, FS_IOC_GETFSMAP, h) < 0 ? -errno : 0;
		if (r < 0 || h->fmh_entries == 0)
			break;
		freespace_take(f, h);
		last = &h->fmh_recs[h->fmh_entries - 1];
		if (last->fmr_flags & FMR_OF_LAST)
			break;
		fsmap_advance(h);
	}
	free(h);
	return r;
}

static void freespace_note_number(struct fst_ctx *ctx, const char *what, const char *when,
				  uint64_t v)
{
	char key[48], text[32];

	snprintf(key, sizeof(key), "free_%s_%s", what, when);
	snprintf(text, sizeof(text), "%" PRIu64, v);
	fst_note(ctx, key, text);
}

/* when: "before", "after". The histogram as "BYTES:EXTENTS", the smallest size of each bucket. */
static void freespace_note(struct fst_ctx *ctx, int fd, const char *when)
{
	struct freespace f;
	char text[2048] = "", key[48];
	size_t n = 0;
	int i, r = freespace_get(fd, &f);

	snprintf(key, sizeof(key), "free_histogram_%s", when);
	if (r < 0) {
		snprintf(text, sizeof(text), "not known: %s",
			 r == -ENOTTY || r == -EOPNOTSUPP
				 ? "this file system does not say (GETFSMAP)"
				 : strerror(-r));
		fst_note(ctx, key, text);
		return;
	}
	for (i = 0; i < FREESPACE_BUCKETS && n < sizeof(text); i++)
		if (f.count[i])
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%llu:%" PRIu64,
					      n ? " " : "", 1ULL << i, f.count[i]);
	fst_note(ctx, key, text);
	freespace_note_number(ctx, "extents", when, f.extents);
	freespace_note_number(ctx, "largest", when, f.largest);
	freespace_note_number(ctx, "bytes", when, f.bytes);
}
