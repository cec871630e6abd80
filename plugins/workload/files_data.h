/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What files are filled with, and where they are read to: a worker's own memory, there before the clock runs. */
#pragma once

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <fstrial/plugin.h>

struct files_data {
	char *random;	/* size bytes; every 4 KiB gets a stamp when written, so that no two blocks are equal */
	char *room;	/* behind them as many bytes, times the rooms, to read into */
	size_t size;
	size_t mapped;
	uint64_t stamp;
};

/* Rooms that are never used take no memory. */
static inline int files_data_init(struct fst_worker *w, struct files_data *d, size_t size, size_t rooms)
{
	void *p = mmap(NULL, (1 + rooms) * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return fst_error(w->ctx, errno, "buffers");
	*d = (struct files_data){ .random = p, .room = (char *)p + size, .size = size,
				  .mapped = (1 + rooms) * size };
	for (size_t i = 0; i < size; i += sizeof(uint64_t)) {
		uint64_t r = fst_random(w);

		memcpy(d->random + i, &r, sizeof(r));
	}
	d->stamp = fst_random(w);
	return 0;
}

static inline void files_data_release(struct files_data *d)
{
	if (d->random)
		munmap(d->random, d->mapped);
	d->random = NULL;
}

/* 0, or -1 and errno. */
static inline int files_data_write(struct files_data *d, int fd, uint64_t size)
{
	while (size) {
		size_t len = size < d->size ? (size_t)size : d->size;
		ssize_t n;

		for (size_t at = 0; at < len; at += 4096)
			memcpy(d->random + at, &d->stamp, sizeof(d->stamp)), d->stamp++;
		n = write(fd, d->random, len);
		if (n <= 0) {
			errno = n ? errno : ENOSPC;
			return -1;
		}
		size -= (uint64_t)n;
	}
	return 0;
}

/*
 * To the file's end, which a read that comes short shows without one more; each part is written to `out` unless
 * that is -1. Bytes, or -1 and errno.
 */
static inline int64_t files_data_read(struct files_data *d, int in, int out)
{
	int64_t sum = 0;
	ssize_t n;

	do {
		n = read(in, d->room, d->size);
		if (n < 0 || (out >= 0 && n && write(out, d->room, (size_t)n) != n))
			return -1;
		sum += n;
	} while (n == (ssize_t)d->size);
	return sum;
}
