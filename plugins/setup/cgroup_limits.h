/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cgroup: the limits, and how the files of either version say them. */
#pragma once

#include <inttypes.h>

#include <fstrial/plugin.h>

#include "cgroup_place.h"

struct cgroup_cfg {
	uint64_t memory;
	uint64_t memory_high;
	uint64_t read_bps;
	uint64_t write_bps;
	uint64_t read_iops;
	uint64_t write_iops;
};

struct cgroup_limit {
	const char *param;
	size_t offset; /* in the configuration */
	unsigned int controller;
	const char *v1_file; /* NULL: version 1 has no such limit */
	const char *v2_file;
	const char *v2_key; /* io.max: "MAJOR:MINOR KEY=VALUE" */
};

#define CGROUP_LIMIT(n) .param = #n, .offset = offsetof(struct cgroup_cfg, n)

static const struct cgroup_limit cgroup_limits[] = {
	{ CGROUP_LIMIT(memory), CGROUP_MEMORY, "memory.limit_in_bytes", "memory.max", NULL },
	{ CGROUP_LIMIT(memory_high), CGROUP_MEMORY, NULL, "memory.high", NULL },
	{ CGROUP_LIMIT(read_bps), CGROUP_IO, "blkio.throttle.read_bps_device", "io.max", "rbps" },
	{ CGROUP_LIMIT(write_bps), CGROUP_IO, "blkio.throttle.write_bps_device", "io.max", "wbps" },
	{ CGROUP_LIMIT(read_iops), CGROUP_IO, "blkio.throttle.read_iops_device", "io.max",
	  "riops" },
	{ CGROUP_LIMIT(write_iops), CGROUP_IO, "blkio.throttle.write_iops_device", "io.max",
	  "wiops" },
};

static uint64_t cgroup_limit_value(const struct fst_ctx *ctx, const struct cgroup_limit *l)
{
	return *(const uint64_t *)(const void *)((const char *)ctx->cfg + l->offset);
}

/* Controllers that the limits asked for need. */
static unsigned int cgroup_wanted(const struct fst_ctx *ctx)
{
	unsigned int all = 0;
	size_t i;

	for (i = 0; i < FST_COUNT(cgroup_limits); i++)
		if (cgroup_limit_value(ctx, &cgroup_limits[i]))
			all |= cgroup_limits[i].controller;
	return all;
}

/* "7:3" of the whole disk under trial: that is what is limited. */
static bool cgroup_disk(const struct fst_ctx *ctx, char *buf, size_t size)
{
	char path[PATH_MAX];

	if (!ctx->sysfs)
		return false;
	snprintf(path, sizeof(path), "%s/dev", ctx->sysfs);
	if (!cgroup_read(path, buf, size))
		return false;
	buf[strcspn(buf, "\n")] = '\0';
	return buf[0] != '\0';
}

static int cgroup_write(const char *dir, const char *file, const char *text)
{
	char path[PATH_MAX + 64];
	int fd, r;

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	r = write(fd, text, strlen(text)) < 0 ? -errno : 0;
	close(fd);
	return r;
}

static int cgroup_limit_set(struct fst_ctx *ctx, const char *dir, int version,
			    const struct cgroup_limit *l, const char *disk)
{
	const char *file = version == 2 ? l->v2_file : l->v1_file;
	char text[96], value[32];
	int r;

	if (!file)
		return fst_error(ctx, 0, "%s: cgroup version 1 has no such limit", l->param);
	snprintf(value, sizeof(value), "%" PRIu64, cgroup_limit_value(ctx, l));
	if (l->controller == CGROUP_MEMORY)
		snprintf(text, sizeof(text), "%s", value);
	else if (version == 2)
		snprintf(text, sizeof(text), "%s %s=%s", disk, l->v2_key, value);
	else
		snprintf(text, sizeof(text), "%s %s", disk, value);
	r = cgroup_write(dir, file, text);
	if (r < 0)
		return fst_error(ctx, -r, "write \"%s\" to %s/%s", text, dir, file);
	fst_asked(ctx, l->param, value, 0);
	return 0;
}

/* All limits of the group's controllers. */
static int cgroup_limits_set(struct fst_ctx *ctx, const char *dir, int version,
			     unsigned int controllers)
{
	char disk[32] = "";
	int r = 0;
	size_t i;

	if ((controllers & CGROUP_IO) && !cgroup_disk(ctx, disk, sizeof(disk)))
		return fst_error(ctx, 0,
				 "the target has no block device whose I/O could be limited");
	for (i = 0; i < FST_COUNT(cgroup_limits) && r == 0; i++)
		if ((cgroup_limits[i].controller & controllers) &&
		    cgroup_limit_value(ctx, &cgroup_limits[i]))
			r = cgroup_limit_set(ctx, dir, version, &cgroup_limits[i], disk);
	return r;
}

/* Of lines "DISK VALUE" or "DISK KEY=VALUE ..." what is said of the disk; "max" when nothing is. */
static void cgroup_disk_value(const char *text, const char *disk, const char *key, char *value,
			      size_t size)
{
	const char *line = text, *end, *at;
	char want[64];

	snprintf(value, size, "max");
	snprintf(want, sizeof(want), "%s ", disk);
	while ((end = line + strcspn(line, "\n")) > line) {
		if (strncmp(line, want, strlen(want)) == 0)
			break;
		line = *end ? end + 1 : end;
	}
	if (end == line)
		return;
	at = line + strlen(want);
	if (key) {
		snprintf(want, sizeof(want), "%s=", key);
		at = strstr(line, want);
		if (!at || at > end)
			return;
		at += strlen(want);
	}
	snprintf(value, size, "%.*s", (int)strcspn(at, " \n"), at);
}

static void cgroup_limits_say(struct fst_ctx *ctx, const char *dir, int version,
			      unsigned int controllers)
{
	char path[PATH_MAX + 64], text[4096], value[64], disk[32] = "";
	size_t i;

	cgroup_disk(ctx, disk, sizeof(disk));
	for (i = 0; i < FST_COUNT(cgroup_limits); i++) {
		const struct cgroup_limit *l = &cgroup_limits[i];
		const char *file = version == 2 ? l->v2_file : l->v1_file;

		if (!(l->controller & controllers) || !cgroup_limit_value(ctx, l) || !file)
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, file);
		if (!cgroup_read(path, text, sizeof(text)))
			continue;
		if (l->controller == CGROUP_IO)
			cgroup_disk_value(text, disk, version == 2 ? l->v2_key : NULL, value,
					  sizeof(value));
		else
			snprintf(value, sizeof(value), "%.*s", (int)strcspn(text, "\n"), text);
		fst_in_force(ctx, l->param, value);
	}
}
