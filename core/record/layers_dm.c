/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where a device-mapper device lies on what is below: sysfs does not say, the table does. */
#include <errno.h>
#include <fcntl.h>
#include <linux/dm-ioctl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "core/record/layers.h"
#include "core/util/str.h"
#include "core/util/xalloc.h"

#define LAYERS_SECTOR 512u
#define LAYERS_DM_ROOM 16384

/* The next device and offset of the list; false at its end. */
static bool layers_dm_pair(char **save, struct layers_dm *out)
{
	char *dev = strtok_r(NULL, " ", save), *offset = strtok_r(NULL, " ", save);

	if (!dev || !offset || out->n == ARRAY_SIZE(out->v))
		return false;
	snprintf(out->v[out->n].dev, sizeof(out->v[0].dev), "%s", dev);
	out->v[out->n++].offset = strtoull(offset, NULL, 10) * LAYERS_SECTOR;
	return true;
}

void layers_dm_parse(const char *type, const char *params, struct layers_dm *out)
{
	/* strtok_r begins with a word in any case: one that is thrown away. */
	_cleanup_free_ char *copy = xasprintf("- %s", params);
	char *save = NULL, *word;

	*out = (struct layers_dm){ .n = 0 };
	snprintf(out->type, sizeof(out->type), "%s", type);
	strtok_r(copy, " ", &save);
	if (str_eq(type, "linear") || str_eq(type, "delay") || str_eq(type, "flakey")) {
		layers_dm_pair(&save, out);
	} else if (str_eq(type, "striped")) {
		strtok_r(NULL, " ", &save);
		word = strtok_r(NULL, " ", &save);
		out->chunk = word ? strtoull(word, NULL, 10) * LAYERS_SECTOR : 0;
		while (layers_dm_pair(&save, out))
			;
	}
}

bool layers_dm_read(const char *dev, struct layers_dm *out)
{
	_cleanup_close_ int fd = open("/dev/mapper/control", O_RDWR | O_CLOEXEC);
	_cleanup_free_ char *room = xcalloc(1, LAYERS_DM_ROOM);
	struct dm_ioctl *io = (struct dm_ioctl *)(void *)room;
	const struct dm_target_spec *spec;
	unsigned major, minor;

	if (fd < 0 || sscanf(dev, "%u:%u", &major, &minor) != 2)
		return false;
	io->version[0] = DM_VERSION_MAJOR;
	io->data_size = LAYERS_DM_ROOM;
	io->data_start = sizeof(*io);
	io->flags = DM_STATUS_TABLE_FLAG;
	/* As the kernel packs numbers of devices for programs. */
	io->dev = (minor & 0xffu) | (major << 8) | ((uint64_t)(minor & ~0xffu) << 12);
	if (ioctl(fd, DM_TABLE_STATUS, io) < 0 || !io->target_count ||
	    (io->flags & DM_BUFFER_FULL_FLAG))
		return false;
	spec = (const struct dm_target_spec *)(const void *)(room + io->data_start);
	layers_dm_parse(spec->target_type, (const char *)(spec + 1), out);
	return true;
}
