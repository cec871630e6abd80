/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a block device stands on, down to the disks, and how the layers lie on each other. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/util/macro.h"

/*
 * Layers below device ("/dev/dm-0", or any path that leads to a block device), itself first, each once:
 * {name, kind: "partition" "loop" "dm" "md" "zram" "disk", detail: dm target or md level, size_bytes, chunk_bytes,
 *  alignment_offset, logical_block_size, physical_block_size, minimum_io_size, optimal_io_size, rotational,
 *  write_cache, fua, below: [{name, offset_bytes}], holders: [name]}
 * below: what it lies on, and at which byte of that its own first byte is; of a loop device the file. What is
 * not known is null. An empty array when it is no block device. New reference.
 */
json_t *layers_collect(const char *device) _must_check_;
/* The same by kernel name, with another place of sysfs: for tests. */
json_t *layers_collect_at(const char *sysfs, const char *name) _must_check_;
/*
 * Adds a line to warnings for every place where the layers lie badly: a stripe of the file system (sunit in
 * bytes, 0: none) that does not begin at a multiple of itself, a physical block that is cut, a device that the
 * kernel itself calls misaligned.
 */
void layers_check(const json_t *layers, uint64_t sunit, json_t *warnings);

/* layers_dm.c: the first target of a table as the kernel prints it. */
struct layers_dm {
	char type[17];
	uint64_t chunk; /* bytes; 0: the target has none */
	unsigned n;	/* devices below that are known */
	struct {
		char dev[24];	 /* "8:16" */
		uint64_t offset; /* bytes */
	} v[32];
};

/* Parameters of linear and striped; of other types nothing is known but the type. */
void layers_dm_parse(const char *type, const char *params, struct layers_dm *out);
/* dev: "253:0". False without device mapper, or root. */
bool layers_dm_read(const char *dev, struct layers_dm *out);
