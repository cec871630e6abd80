/* SPDX-License-Identifier: GPL-3.0-or-later */
/* In what state the data was before it was measured. */
#include "core/io/conditions.h"

#include <fcntl.h>
#include <math.h>
#include <sys/mman.h>
#include <sys/stat.h>

#define CONDITIONS_WINDOW (4ull << 20)
#define CONDITIONS_MAX_WINDOWS 1024ull

struct conditions_count {
	uint64_t pages, resident;
	uint64_t page_size;
};

static void conditions_window(struct conditions_count *c, int fd, uint64_t at, uint64_t len)
{
	unsigned char vec[CONDITIONS_WINDOW / 4096];
	uint64_t pages = (len + c->page_size - 1) / c->page_size;
	void *map = mmap(NULL, len, PROT_READ, MAP_SHARED, fd, (off_t)at);

	if (map == MAP_FAILED)
		return;
	if (mincore(map, len, vec) == 0) {
		c->pages += pages;
		for (uint64_t i = 0; i < pages; i++)
			c->resident += vec[i] & 1;
	}
	munmap(map, len);
}

/* One window of every stride. */
static void conditions_file(struct conditions_count *c, const struct io_files *f,
			    const struct io_file *file, uint64_t stride)
{
	struct err ignored = { 0 };
	struct stat st;
	int fd = files_open_one(f, file->name, O_RDONLY, &ignored);

	if (fd < 0)
		return;
	if (fstat(fd, &st) == 0) {
		uint64_t size = S_ISBLK(st.st_mode) ? file->size : (uint64_t)st.st_size;

		for (uint64_t at = 0; at < size; at += stride * CONDITIONS_WINDOW)
			conditions_window(c, fd, at, MIN(CONDITIONS_WINDOW, size - at));
	}
	close(fd);
}

double conditions_resident(const struct io_files *f)
{
	struct conditions_count c = { .page_size = (uint64_t)sysconf(_SC_PAGESIZE) };
	uint64_t windows = files_total(f) / CONDITIONS_WINDOW;
	uint64_t stride = windows / CONDITIONS_MAX_WINDOWS + 1;

	for (size_t i = 0; i < f->file.n; i++)
		if (f->file.v[i].mode != FST_FILE_CREATE)
			conditions_file(&c, f, &f->file.v[i], stride);
	return c.pages ? (double)c.resident / (double)c.pages : NAN;
}

uint64_t conditions_ram(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);

	return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : 0;
}
