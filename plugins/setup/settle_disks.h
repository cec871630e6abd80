/* SPDX-License-Identifier: GPL-3.0-or-later */
/* settle: the trial's disk and all that it stands on. */
#pragma once

#include <dirent.h>

#include "sysfs_value.h"

/* Unit tests have a directory of their own. */
#ifndef SETTLE_SYS
#define SETTLE_SYS "/sys/class/block"
#endif

#define SETTLE_MAX_DISKS 64
#define SETTLE_NAME_MAX 64

struct settle_disk {
	char name[SETTLE_NAME_MAX];
	char stat[SYSFS_VALUE_MAX]; /* as it was last */
};

struct settle_disks {
	size_t n;
	struct settle_disk v[SETTLE_MAX_DISKS];
};

static void settle_disks_add(struct settle_disks *d, const char *name)
{
	size_t i;

	for (i = 0; i < d->n; i++)
		if (strcmp(d->v[i].name, name) == 0)
			return;
	if (d->n == SETTLE_MAX_DISKS || strlen(name) >= SETTLE_NAME_MAX)
		return;
	snprintf(d->v[d->n++].name, SETTLE_NAME_MAX, "%s", name);
}

/* What is added is looked at in its turn. */
static void settle_disks_find(struct settle_disks *d, const char *sysfs)
{
	const char *base = sysfs ? strrchr(sysfs, '/') : NULL;
	char path[SYSFS_VALUE_MAX];
	struct dirent *e;
	size_t i;
	DIR *dir;

	d->n = 0;
	if (base)
		settle_disks_add(d, base + 1);
	for (i = 0; i < d->n; i++) {
		snprintf(path, sizeof(path), "%s/%s/slaves", SETTLE_SYS, d->v[i].name);
		dir = opendir(path);
		while (dir && (e = readdir(dir)) != NULL)
			if (e->d_name[0] != '.')
				settle_disks_add(d, e->d_name);
		if (dir)
			closedir(dir);
	}
}

/* "resync of md0", or "" when nothing is built up or checked. */
static void settle_disks_sync(const struct settle_disks *d, char *busy, size_t size)
{
	char name[SYSFS_VALUE_MAX], action[SYSFS_VALUE_MAX], done[SYSFS_VALUE_MAX];
	size_t i;

	busy[0] = '\0';
	for (i = 0; i < d->n && !busy[0]; i++) {
		snprintf(name, sizeof(name), "%s/md/sync_action", d->v[i].name);
		if (sysfs_value_read(SETTLE_SYS, name, action, sizeof(action)) < 0 ||
		    strcmp(action, "idle") == 0 || strcmp(action, "frozen") == 0)
			continue;
		snprintf(name, sizeof(name), "%s/md/sync_completed", d->v[i].name);
		if (sysfs_value_read(SETTLE_SYS, name, done, sizeof(done)) < 0)
			done[0] = '\0';
		snprintf(busy, size, "%.32s of %s%s%.40s", action, d->v[i].name,
			 done[0] ? ", sectors done: " : "", done);
	}
}

/* The name of a disk that did something since the last call, or has something under way; NULL: all are quiet. */
static const char *settle_disks_active(struct settle_disks *d)
{
	char name[SYSFS_VALUE_MAX], now[SYSFS_VALUE_MAX];
	const char *active = NULL;
	unsigned int in_flight;
	size_t i;

	for (i = 0; i < d->n; i++) {
		snprintf(name, sizeof(name), "%s/stat", d->v[i].name);
		if (sysfs_value_read(SETTLE_SYS, name, now, sizeof(now)) < 0)
			continue;
		if (strcmp(now, d->v[i].stat) != 0 ||
		    (sscanf(now, "%*s %*s %*s %*s %*s %*s %*s %*s %u", &in_flight) == 1 &&
		     in_flight))
			active = d->v[i].name;
		snprintf(d->v[i].stat, sizeof(d->v[i].stat), "%s", now);
	}
	return active;
}
