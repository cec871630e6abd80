/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What XFS and the device counted, for the workload prealloc. */
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum prealloc_counter {
	PREALLOC_LOG_WRITES,
	PREALLOC_LOG_BYTES,
	PREALLOC_LOG_FORCES,
	PREALLOC_TRANSACTIONS,
	PREALLOC_DEVICE_WRITES,
	PREALLOC_FLUSHES,
	PREALLOC_COUNTERS,
};

/* NaN: not known. */
struct prealloc_counters {
	double v[PREALLOC_COUNTERS];
};

/* Where they are read; "" where there are none. */
struct prealloc_sources {
	char xfs[PATH_MAX], device[PATH_MAX], disk[PATH_MAX];
};

static inline void prealloc_counters_none(struct prealloc_counters *c)
{
	for (int i = 0; i < PREALLOC_COUNTERS; i++)
		c->v[i] = NAN;
}

/* Reads up to max numbers of a line, from p on; their number. */
static inline int prealloc_numbers(const char *p, double *out, int max)
{
	int n = 0;

	while (n < max) {
		unsigned long long v;
		char *end;

		while (*p == ' ' || *p == '\t')
			p++;
		if (*p < '0' || *p > '9')
			break;
		errno = 0;
		v = strtoull(p, &end, 10);
		if (errno)
			break;
		out[n++] = (double)v;
		p = end;
	}
	return n;
}

/* The line of /sys/fs/xfs/DEV/stats/stats that begins with this word. NULL: there is none. */
static inline const char *prealloc_line(const char *text, const char *word)
{
	const size_t len = strlen(word);

	while (text && *text) {
		if (strncmp(text, word, len) == 0 && text[len] == ' ')
			return text + len;
		text = strchr(text, '\n');
		text = text ? text + 1 : NULL;
	}
	return NULL;
}

/*
 * log: writes, blocks of 512 bytes, writes that found no buffer, forces, forces that slept; trans:
 * synchronous, asynchronous, empty.
 */
static inline void prealloc_parse_xfs(const char *text, struct prealloc_counters *c)
{
	const char *log = prealloc_line(text, "log"), *trans = prealloc_line(text, "trans");
	double n[5];

	if (log && prealloc_numbers(log, n, 5) >= 4) {
		c->v[PREALLOC_LOG_WRITES] = n[0];
		c->v[PREALLOC_LOG_BYTES] = n[1] * 512;
		c->v[PREALLOC_LOG_FORCES] = n[3];
	}
	if (trans && prealloc_numbers(trans, n, 3) >= 2)
		c->v[PREALLOC_TRANSACTIONS] = n[0] + n[1];
}

/* The fifth number of a device's stat counts writes. */
static inline void prealloc_parse_device(const char *text, struct prealloc_counters *c)
{
	double n[17];

	if (prealloc_numbers(text, n, 17) >= 5)
		c->v[PREALLOC_DEVICE_WRITES] = n[4];
}

/* Flushes are the sixteenth, counted for the whole disk, since Linux 5.5. */
static inline void prealloc_parse_disk(const char *text, struct prealloc_counters *c)
{
	double n[17];

	if (prealloc_numbers(text, n, 17) == 17)
		c->v[PREALLOC_FLUSHES] = n[15];
}

static inline bool prealloc_read_text(const char *path, char *buf, size_t size)
{
	int fd = *path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	size_t len = 0;
	ssize_t n = 0;

	if (fd < 0)
		return false;
	while (len < size - 1 && (n = read(fd, buf + len, size - 1 - len)) > 0)
		len += (size_t)n;
	buf[len] = '\0';
	close(fd);
	return n >= 0;
}

static inline void prealloc_counters_read(const struct prealloc_sources *s,
					  struct prealloc_counters *c)
{
	char text[8192];

	prealloc_counters_none(c);
	if (prealloc_read_text(s->xfs, text, sizeof(text)))
		prealloc_parse_xfs(text, c);
	if (prealloc_read_text(s->device, text, sizeof(text)))
		prealloc_parse_device(text, c);
	if (prealloc_read_text(s->disk, text, sizeof(text)))
		prealloc_parse_disk(text, c);
}

/* The device under a directory, by its number; none for file systems without one of their own. */
static inline void prealloc_sources_find(const char *dir, struct prealloc_sources *s)
{
	char link[PATH_MAX], sys[64];
	const char *name;
	struct stat st;
	ssize_t n;

	memset(s, 0, sizeof(*s));
	if (stat(dir, &st) < 0)
		return;
	snprintf(sys, sizeof(sys), "/sys/dev/block/%u:%u", major(st.st_dev), minor(st.st_dev));
	n = readlink(sys, link, sizeof(link) - 1);
	if (n <= 0)
		return;
	link[n] = '\0';
	name = strrchr(link, '/') ? strrchr(link, '/') + 1 : link;
	snprintf(s->device, sizeof(s->device), "%s/stat", sys);
	snprintf(s->disk, sizeof(s->disk), "%s/partition", sys);
	/* Below a link ".." is the directory that really holds the partition: its disk. */
	snprintf(s->disk, sizeof(s->disk), "%s/%sstat", sys,
		 access(s->disk, F_OK) == 0 ? "../" : "");
	snprintf(s->xfs, sizeof(s->xfs), "/sys/fs/xfs/%.255s/stats/stats", name);
	if (access(s->xfs, R_OK) < 0)
		s->xfs[0] = '\0';
}
