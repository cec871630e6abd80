/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mkfs: the parameters as jobs write them. */
#pragma once

#include <fstrial/plugin.h>

#include "mkfs_table.h"

#define MKFS_PARAM(n, t) .name = #n, .type = (t), FST_AT(struct mkfs_cfg, n)
/* A feature of xfs: 0 or 1, as the tool writes it. */
#define MKFS_FEATURE(n, text) MKFS_PARAM(n, FST_U64), .max = "1", .doc = "xfs: " text ", 0 or 1."

static const struct fst_param mkfs_params[] = {
	{ MKFS_PARAM(fs, FST_ENUM), .alias = "type", .flags = FST_REQUIRED, FST_CHOICES(mkfs_types),
	  .doc = "The file system's type." },
	{ MKFS_PARAM(program, FST_PATH),
	  .doc = "The tool to make it with, where it is not the one that is installed: to compare "
		 "versions of a tool, or a wrapper with defaults of its own." },
	{ MKFS_PARAM(config, FST_STR),
	  .doc = "xfs: file of pinned defaults (-c options=); a bare name, with or without "
		 "\".conf\", is one of those that come with xfsprogs, as lts_5.15." },
	{ MKFS_PARAM(label, FST_STR), .def = "fstrial",
	  .doc = "Its label; by \"fstrial\" a later run knows that it may be overwritten." },
	{ MKFS_PARAM(uuid, FST_STR), .doc = "Its UUID; the tool draws one by default." },
	{ MKFS_PARAM(discard, FST_BOOL), .def = "true",
	  .doc = "Whether all old blocks are discarded first; false is quicker, but leaves a thin "
		 "or flash device as full as it was." },
	{ MKFS_PARAM(features, FST_LIST),
	  .doc = "Further features by the tool's names: ext \"^metadata_csum\", btrfs "
		 "\"mixed-bg\", xfs "
		 "\"perblock=8\" or any key of -d, -i, -l, -m and -n that is no parameter here." },
	{ MKFS_PARAM(options, FST_STR),
	  .doc = "Further arguments for the tool, split at blanks, quotes respected; no devices." },
	{ MKFS_PARAM(size, FST_SIZE),
	  .doc = "Size of the file system; the whole device by default." },
	{ MKFS_PARAM(block_size, FST_SIZE), .doc = "xfs, ext: block size." },
	{ MKFS_PARAM(inode_size, FST_SIZE), .doc = "xfs, ext: size of one inode." },
	{ MKFS_PARAM(sector_size, FST_SIZE),
	  .doc = "xfs: sector size, at least the device's own. btrfs: block size of data." },
	{ MKFS_PARAM(logdev, FST_STR), .alias = "journal_dev",
	  .doc = "xfs, ext3, ext4: a device of the target for the log or journal, as \"target.2\" "
		 "or by its "
		 "path; what is on it is lost." },

	{ MKFS_PARAM(agcount, FST_U64), .min = "1",
	  .doc = "xfs: number of allocation groups; not together with agsize." },
	{ MKFS_PARAM(agsize, FST_SIZE),
	  .doc = "xfs: size of an allocation group, 16MiB or more; not together with agcount." },
	{ MKFS_PARAM(su, FST_SIZE),
	  .doc = "xfs: stripe unit, what one disk of a RAID gets in a row; needs sw." },
	{ MKFS_PARAM(sw, FST_U64), .min = "1", .unit = "stripe units",
	  .doc = "xfs: stripe width as a number of stripe units, the disks that hold data; needs "
		 "su." },
	{ MKFS_PARAM(sunit, FST_SIZE), .doc = "xfs: stripe unit in bytes (mkfs.xfs counts 512-byte "
					      "sectors here); needs swidth." },
	{ MKFS_PARAM(swidth, FST_SIZE), .doc = "xfs: stripe width in bytes (mkfs.xfs counts "
					       "512-byte sectors here); needs sunit." },
	{ MKFS_PARAM(log_size, FST_SIZE), .doc = "xfs: size of the log." },
	{ MKFS_PARAM(log_su, FST_SIZE), .doc = "xfs: stripe unit of the log." },
	{ MKFS_PARAM(log_version, FST_U64), .min = "1", .max = "2",
	  .doc = "xfs: version of the log; 1 only goes with crc = 0." },
	{ MKFS_PARAM(log_sector_size, FST_SIZE),
	  .doc = "xfs: sector size of the log, at least that of the log's device." },
	{ MKFS_PARAM(log_agnum, FST_U64), .doc = "xfs: allocation group that the log is in." },
	{ MKFS_FEATURE(lazy_count, "superblock counters that are not logged with each change") },
	{ MKFS_PARAM(naming_size, FST_SIZE), .doc = "xfs: block size of directories." },
	{ MKFS_PARAM(naming_version, FST_ENUM), FST_CHOICES(mkfs_namings),
	  .doc = "xfs: how names are compared." },
	{ MKFS_FEATURE(ftype, "types of files in directories") },
	{ MKFS_FEATURE(crc, "checksums (format V5; many kernels refuse to mount without)") },
	{ MKFS_FEATURE(reflink, "shared extents") },
	{ MKFS_FEATURE(rmapbt, "reverse mapping tree") },
	{ MKFS_FEATURE(bigtime, "times beyond 2038") },
	{ MKFS_FEATURE(finobt, "tree of free inodes") },
	{ MKFS_FEATURE(inobtcount, "counters of the inode trees") },
	{ MKFS_FEATURE(sparse, "inode chunks with holes") },
	{ MKFS_FEATURE(nrext64, "large extent counters") },
	{ MKFS_FEATURE(projid32bit, "project numbers of 32 bits") },
	{ MKFS_PARAM(attr, FST_U64), .max = "2", .doc = "xfs: version of extended attributes." },
	{ MKFS_PARAM(maxpct, FST_U64), .max = "100", .unit = "percent",
	  .doc = "xfs: share of the space that inodes may take; 0: all of it." },

	{ MKFS_PARAM(stride, FST_SIZE),
	  .doc = "ext: what one disk of a RAID gets in a row, in bytes (the tool counts blocks)." },
	{ MKFS_PARAM(stripe_width, FST_SIZE),
	  .doc = "ext: bytes of data in a full stripe, a multiple of stride." },
	{ MKFS_PARAM(journal_size, FST_SIZE),
	  .doc = "ext3, ext4: size of the journal, whole MiB." },
	{ MKFS_PARAM(lazy_init, FST_BOOL), .alias = "lazy", .def = "false",
	  .doc = "ext: whether inode tables are zeroed after mount, in the background of what is "
		 "measured, instead of by mkfs." },
	{ MKFS_PARAM(inode_ratio, FST_SIZE), .doc = "ext: one inode for so many bytes of space." },
	{ MKFS_PARAM(inodes, FST_U64), .min = "1", .doc = "ext: number of inodes." },
	{ MKFS_PARAM(reserved_percent, FST_F64), .min = "0", .max = "50", .unit = "percent",
	  .doc = "ext: share of the space that only root may fill." },
	{ MKFS_PARAM(usage_type, FST_STR),
	  .doc = "ext: kind of use as mke2fs.conf has it, as \"news\" or \"largefile\"." },
	{ MKFS_PARAM(flex_bg_groups, FST_U64), .min = "1",
	  .doc = "ext4: block groups in a flexible group." },
	{ MKFS_PARAM(cluster_size, FST_SIZE),
	  .doc = "ext4: cluster size, with the feature bigalloc." },

	{ MKFS_PARAM(node_size, FST_SIZE), .doc = "btrfs: size of the nodes of its trees." },
	{ MKFS_PARAM(data, FST_ENUM), FST_CHOICES(mkfs_profiles),
	  .doc = "btrfs: profile of data." },
	{ MKFS_PARAM(metadata, FST_ENUM), FST_CHOICES(mkfs_profiles),
	  .doc = "btrfs: profile of metadata." },
	{ MKFS_PARAM(checksum, FST_ENUM), FST_CHOICES(mkfs_checksums),
	  .doc = "btrfs: checksum of data and metadata." },
	{ MKFS_PARAM(devices, FST_LIST), .doc = "btrfs: further devices of the target that it is "
						"made on, as \"target.2\" or by path." },
};

static const struct fst_tool mkfs_tools[] = {
	{ "mkfs.xfs", "-V", "xfsprogs" },
	{ "mkfs.ext4", "-V", "e2fsprogs" },
	{ "mkfs.btrfs", "-V", "btrfs-progs" },
};
