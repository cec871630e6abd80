/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is measured beside the trials, to tell whether the machine changed under them. */
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "core/run/canary.h"
#include "core/util/clock.h"
#include "core/util/file.h"
#include "core/util/json.h"
#include "core/util/macro.h"
#include "core/util/prng.h"

enum {
	RAW_BLOCK = 256 << 10,
	RAW_FILE = 16 << 20,
	RAW_MIN_READS = 4,
	SLICES = 5,
	COMPUTE_STEPS = 1 << 20,
	TMPFS_OPS = 200,
	TMPFS_BYTES = 64 << 10,
};

#define RAW_TIME_NS (60 * NSEC_PER_MSEC)

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The middle of several slices: one that was interrupted does not count. */
static double median_slice(double (*slice)(void))
{
	double v[SLICES];

	for (int i = 0; i < SLICES; i++)
		v[i] = slice();
	qsort(v, SLICES, sizeof(v[0]), by_value);
	return v[SLICES / 2];
}

/* Each step needs the one before: neither memory nor the number of cores matters. */
static double compute_slice(void)
{
	uint64_t begin = clock_now_ns(), x = begin | 1;

	for (int i = 0; i < COMPUTE_STEPS; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
	}
	/* The compiler may not leave out what nobody looks at. */
	__asm__ volatile("" : : "r"(x));
	return (double)(clock_now_ns() - begin);
}

/* A file in memory made, written and gone: names, inodes and pages without any file system of a disk. */
static double tmpfs_slice(void)
{
	static const char bytes[TMPFS_BYTES];
	uint64_t begin = clock_now_ns();

	for (int i = 0; i < TMPFS_OPS; i++) {
		int fd = memfd_create("fstrial-canary", MFD_CLOEXEC);
		ssize_t n = fd < 0 ? -1 : write(fd, bytes, sizeof(bytes));

		if (fd >= 0)
			close(fd);
		if (n != (ssize_t)sizeof(bytes))
			return NAN;
	}
	return (double)(clock_now_ns() - begin) / TMPFS_OPS;
}

/* Blocks in order through a file, evenly over all of a device, until the time is over. */
static double raw_rate(int fd, uint64_t size, uint64_t stride)
{
	void *buf = NULL;
	uint64_t begin = clock_now_ns(), now = begin, bytes = 0;

	if (size < RAW_BLOCK || posix_memalign(&buf, 4096, RAW_BLOCK))
		return NAN;
	for (uint64_t at = 0, reads = 0; at + RAW_BLOCK <= size; at += stride, reads++) {
		if (reads >= RAW_MIN_READS && now - begin > RAW_TIME_NS)
			break;
		if (pread(fd, buf, RAW_BLOCK, (off_t)at) != RAW_BLOCK) {
			bytes = 0;
			break;
		}
		bytes += RAW_BLOCK;
		now = clock_now_ns();
	}
	free(buf);
	return bytes && now > begin ? (double)bytes * 1e9 / (double)(now - begin) : NAN;
}

static double raw_device(const char *device)
{
	_cleanup_close_ int fd = open(device, O_RDONLY | O_DIRECT | O_CLOEXEC);
	off_t size = fd < 0 ? -1 : lseek(fd, 0, SEEK_END);
	uint64_t reads = RAW_FILE / RAW_BLOCK, stride;

	if (size < RAW_BLOCK)
		return NAN;
	stride = (uint64_t)size / reads / RAW_BLOCK * RAW_BLOCK;
	return raw_rate(fd, (uint64_t)size, MAX(stride, (uint64_t)RAW_BLOCK));
}

/* The file may not be what fills a file system, or moves what is written on it to another place. */
static bool has_room(const char *place)
{
	struct statvfs vfs;

	return statvfs(place, &vfs) == 0 && (uint64_t)vfs.f_bavail * vfs.f_frsize >= 16ULL * RAW_FILE;
}

/* -1 when there is no room, or the file system has no nameless files. */
static int raw_file(const char *place)
{
	int fd = !has_room(place) ? -1 : open(place, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	struct prng p;
	char *buf = fd < 0 ? NULL : malloc(RAW_BLOCK);
	bool good = buf != NULL;

	prng_seed(&p, 1, 0);
	for (off_t at = 0; good && at < RAW_FILE; at += RAW_BLOCK) {
		prng_fill(&p, buf, RAW_BLOCK);
		good = pwrite(fd, buf, RAW_BLOCK, at) == RAW_BLOCK;
	}
	free(buf);
	if (good && fsync(fd) == 0) {
		/* Where there is none, as in memory, what is read is memory: the same in all blocks. */
		if (fcntl(fd, F_SETFL, O_DIRECT) < 0)
			fcntl(fd, F_SETFL, 0);
		return fd;
	}
	if (fd >= 0)
		close(fd);
	return -1;
}

void canary_begin(struct canary *c, const char *place, const char *device)
{
	*c = (struct canary){ .fd = device || !place ? -1 : raw_file(place), .device = device };
}

static json_t *canary_json(double value, const char *unit, const char *better)
{
	json_t *o = js_object();

	js_set(o, "value", js_real(value));
	js_set(o, "unit", js_str(unit));
	js_set(o, "better", js_str(better));
	return o;
}

json_t *canary_measure(const struct canary *c)
{
	json_t *o = js_object();
	double raw = c->device ? raw_device(c->device) : c->fd >= 0 ? raw_rate(c->fd, RAW_FILE, RAW_BLOCK) : NAN;

	js_set(o, "compute", canary_json(median_slice(compute_slice), "ns", "lower"));
	js_set(o, "raw", canary_json(raw, "bytes/s", "higher"));
	js_set(o, "tmpfs", canary_json(median_slice(tmpfs_slice), "ns", "lower"));
	return o;
}

void canary_end(struct canary *c)
{
	if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
}
