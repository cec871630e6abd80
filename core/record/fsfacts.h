/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a file system says of itself: for the result's "filesystem" and for fst_fact(). Read by
 * ioctl, statfs, mountinfo, libblkid and the superblock on the device; never out of a tool's text.
 */
#pragma once

#include <jansson.h>

#include "core/util/macro.h"

/*
 * dir: a place in the file system, or NULL when it is not mounted; device: the block device, or
 * NULL.
 * {type, uuid, label, source, block_size, size_bytes, free_bytes, fill (0..1), inodes, inodes_free,
 *  lazy_groups (of ext: groups whose inode table is not written yet),
 *  mount: {point, options: "rw,noatime,...", list: [..]} (per-mount and per-superblock options as
 *  in force), geometry: {...}, features: [...]}
 * What is not known is left out: of an unmounted file system sizes and fill, without root and
 * unmounted everything, and the geometry of ext4 without root. free_bytes is what is free, reserved
 * or not.
 * geometry, bytes everywhere. xfs: agcount, agsize, block_size, sector_size, inode_size, log_size,
 * log_internal, log_version, log_sunit, log_sector_size, log_start_agno, sunit, swidth, naming_size, data_size,
 * imaxpct, rt_size, rt_extsize; ext2/3/4: block_size, size, inode_size, inodes, inodes_per_group,
 * groups, blocks_per_group (a count), cluster_size, flex_bg_groups, stride, stripe_width,
 * journal_size, journal_internal, reserved.
 * btrfs: block_size, sector_size, node_size, size, devices (a count), checksum, and of a mounted one data_profile,
 * metadata_profile, system_profile ("raid1", several joined by "+").
 * features: names as the tools write them ("reflink", "rmapbt", "crc", "has_journal"), only those
 * that are on.
 * Unknown types have no geometry. An empty object when nothing is known. New reference.
 */
json_t *fsfacts_collect(const char *dir, const char *device) _must_check_;
/*
 * "type" or "agcount" or "mount.options" or "features": looked up at the top, then in geometry, then dotted, then
 * as a feature; lists joined by commas, numbers as decimal text, true and a feature as "1"/"0" (0 only where the type's
 * features are known and it has such a feature). NULL when not known. Caller frees.
 */
char *fsfacts_lookup(const json_t *facts, const char *key) _must_check_;
