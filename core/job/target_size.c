/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How many devices a target has and how large they are, as far as the job and the machine tell before a run. */
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#include "core/job/job.h"
#include "core/util/blockdev.h"
#include "core/util/str.h"

uint32_t job_target_count(const struct job_target *t)
{
	uint32_t n = 0;

	if (t->kind == TARGET_SCRATCH)
		return t->scratch_count;
	while (t->kind == TARGET_DEVICE && t->devices[n])
		n++;
	return n;
}

uint64_t job_target_size(const struct job_target *t, uint32_t n)
{
	struct blockdev bd;
	struct statvfs fs;

	if (t->kind == TARGET_DIRECTORY)
		return n == 1 && t->directory && !statvfs(t->directory, &fs)
			       ? (uint64_t)fs.f_bavail * fs.f_frsize
			       : 0;
	if (n < 1 || n > job_target_count(t))
		return 0;
	if (t->kind == TARGET_SCRATCH)
		return t->scratch_size;
	return !blockdev_get(t->devices[n - 1], &bd, NULL) ? bd.size : 0;
}

uint32_t job_target_size_key(const char *key)
{
	unsigned long n;
	char *end;

	if (str_eq(key, "target.size"))
		return 1;
	if (!str_starts(key, "target.") || key[7] < '1' || key[7] > '9')
		return 0;
	n = strtoul(key + 7, &end, 10);
	return n <= UINT32_MAX && str_eq(end, ".size") ? (uint32_t)n : 0;
}
