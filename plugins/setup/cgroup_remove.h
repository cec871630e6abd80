/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cgroup: taking a group away again. */
#pragma once

#include <time.h>

#include "cgroup_limits.h"

/* Its processes have ended, or do so at once: the kernel counts them a little longer. */
#define CGROUP_WAIT_MS 10000
#define CGROUP_TICK_MS 10

static void cgroup_tick(void)
{
	const struct timespec ts = { .tv_nsec = CGROUP_TICK_MS * 1000000L };

	nanosleep(&ts, NULL);
}

/* A number under a key of a file such as memory.oom_control; 0 when there is none. */
static unsigned long long cgroup_number(const char *dir, const char *file, const char *key)
{
	char path[PATH_MAX + 64], text[4096], *at;

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	if (!cgroup_read(path, text, sizeof(text)))
		return 0;
	if (!key)
		return strtoull(text, NULL, 10);
	at = strstr(text, key);
	return at ? strtoull(at + strlen(key), NULL, 10) : 0;
}

/* What the group went through is gone with it: said before. */
static void cgroup_report(struct fst_ctx *ctx, const char *dir)
{
	unsigned long long kills = cgroup_number(dir, "memory.oom_control", "oom_kill ") +
				   cgroup_number(dir, "memory.events", "oom_kill ");
	unsigned long long peak = cgroup_number(dir, "memory.max_usage_in_bytes", NULL) +
				  cgroup_number(dir, "memory.peak", NULL);
	char text[32];

	if (peak) {
		snprintf(text, sizeof(text), "%llu", peak);
		fst_note(ctx, "memory_peak", text);
	}
	if (kills)
		fst_warning(ctx,
			    "the memory limit was too low: the kernel ended %llu processes of the "
			    "group",
			    kills);
}

/* "12, 13" into buf; false when nobody is in the group. */
static bool cgroup_members(const char *dir, char *buf, size_t size)
{
	char path[PATH_MAX + 32], *p;

	snprintf(path, sizeof(path), "%s/cgroup.procs", dir);
	if (!cgroup_read(path, buf, size) || !buf[0])
		return false;
	for (p = buf; *p; p++)
		if (*p == '\n')
			*p = p[1] ? ' ' : '\0';
	return true;
}

static int cgroup_remove(struct fst_ctx *ctx, const char *dir)
{
	char members[256] = "";
	int waited, err = 0;

	if (access(dir, F_OK) < 0)
		return 0;
	cgroup_report(ctx, dir);
	for (waited = 0; waited <= CGROUP_WAIT_MS; waited += CGROUP_TICK_MS) {
		if (!cgroup_members(dir, members, sizeof(members))) {
			/* Version 1: what is cached is let go of, so that nothing of the group stays in memory. */
			(void)!cgroup_write(dir, "memory.force_empty", "0");
			if (rmdir(dir) == 0 || errno == ENOENT)
				return 0;
			err = errno;
			if (err != EBUSY)
				break;
		}
		cgroup_tick();
	}
	if (members[0])
		return fst_error(
			ctx, EBUSY,
			"processes are still in the group %s; to remove it: kill %s; rmdir %s", dir,
			members, dir);
	return fst_error(ctx, err, "remove the group; by hand: rmdir %s", dir);
}
