/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mkfs: the configuration, and how each tool spells what is in it. */
#pragma once

#include <inttypes.h>
#include <stdio.h>

#include <fstrial/plugin.h>

enum mkfs_fs {
	MKFS_XFS = 1,
	MKFS_EXT4 = 2,
	MKFS_EXT3 = 3,
	MKFS_EXT2 = 4,
	MKFS_BTRFS = 5,
};

struct mkfs_cfg {
	int fs;
	bool discard;
	bool lazy_init;
	const char *label;
	const char *options;
	const char *program;
	const char *config;
	const char *logdev;
	const char *uuid;
	const char *usage_type;
	struct fst_list features;
	struct fst_list devices;
	uint64_t size;
	uint64_t block_size;
	uint64_t sector_size;
	uint64_t inode_size;
	uint64_t agcount;
	uint64_t agsize;
	uint64_t su;
	uint64_t sw;
	uint64_t sunit;
	uint64_t swidth;
	uint64_t log_size;
	uint64_t log_su;
	uint64_t log_version;
	uint64_t log_sector_size;
	uint64_t log_agnum;
	uint64_t lazy_count;
	uint64_t naming_size;
	int naming_version;
	uint64_t ftype;
	uint64_t crc;
	uint64_t reflink;
	uint64_t rmapbt;
	uint64_t bigtime;
	uint64_t finobt;
	uint64_t inobtcount;
	uint64_t sparse;
	uint64_t nrext64;
	uint64_t projid32bit;
	uint64_t attr;
	uint64_t maxpct;
	uint64_t stride;
	uint64_t stripe_width;
	uint64_t journal_size;
	uint64_t inode_ratio;
	uint64_t inodes;
	double reserved_percent;
	uint64_t flex_bg_groups;
	uint64_t cluster_size;
	uint64_t node_size;
	int data;
	int metadata;
	int checksum;
};

/* Tools: one makes xfs, one ext2 to ext4, one btrfs. */
enum mkfs_family { MKFS_FAMILY_XFS, MKFS_FAMILY_EXT, MKFS_FAMILY_BTRFS, MKFS_FAMILIES };

enum mkfs_kind {
	MKFS_NUMBER, /* uint64_t */
	MKFS_REAL,   /* double */
	MKFS_TEXT,   /* const char * */
	MKFS_CHOICE, /* int */
};

enum mkfs_unit {
	MKFS_BYTES,   /* or a count: as it is */
	MKFS_SECTORS, /* of 512 bytes */
	MKFS_BLOCKS,  /* of the file system */
	MKFS_MIB,
};

static const struct fst_choice mkfs_types[] = {
	{ "xfs", MKFS_XFS, "XFS, by mkfs.xfs." },
	{ "ext4", MKFS_EXT4, "ext4, by mkfs.ext4." },
	{ "ext3", MKFS_EXT3, "ext3, by mkfs.ext4 -t ext3." },
	{ "ext2", MKFS_EXT2, "ext2, by mkfs.ext4 -t ext2." },
	{ "btrfs", MKFS_BTRFS, "btrfs, by mkfs.btrfs." },
};

static const struct fst_choice mkfs_profiles[] = {
	{ "single", 1, "One copy." },
	{ "dup", 2, "Two copies, on one device." },
	{ "raid0", 3, "One copy, striped over all devices." },
	{ "raid1", 4, "Two copies, on two devices." },
	{ "raid1c3", 5, "Three copies, on three devices." },
	{ "raid1c4", 6, "Four copies, on four devices." },
	{ "raid10", 7, "Two copies, striped." },
	{ "raid5", 8, "Striped, with one parity." },
	{ "raid6", 9, "Striped, with two parities." },
};

static const struct fst_choice mkfs_namings[] = {
	{ "2", 2, "Names as they are." },
	{ "ci", 3, "ASCII letters of both cases are the same in names; few kernels mount it." },
};

static const struct fst_choice mkfs_checksums[] = {
	{ "crc32c", 1, "The default: quick, and 32 bits." },
	{ "xxhash", 2, "Quick, and 64 bits." },
	{ "sha256", 3, "256 bits, cryptographic." },
	{ "blake2", 4, "256 bits, cryptographic and quicker than sha256." },
};

/*
 * One parameter: how the tool of each family spells it (option, and key within the option where there is one; no
 * option: it is not for this family), and the fact that tells what came of it.
 */
struct mkfs_option {
	const char *param;
	size_t offset;
	int kind;
	int unit;
	struct {
		const char *option, *key;
	} as[MKFS_FAMILIES];
	const char *fact;
	const struct fst_choice *choices;
	size_t n_choices;
};

#define MKFS_LAST "" /* a word behind the device */
#define MKFS_AT(name) .param = #name, .offset = offsetof(struct mkfs_cfg, name)
#define MKFS_X(o, k) .as[MKFS_FAMILY_XFS] = { (o), (k) }
#define MKFS_E(o, k) .as[MKFS_FAMILY_EXT] = { (o), (k) }
#define MKFS_B(o, k) .as[MKFS_FAMILY_BTRFS] = { (o), (k) }
#define MKFS_OF(c) .kind = MKFS_CHOICE, .choices = (c), .n_choices = FST_COUNT(c)

/* Keys of one option come out in this order. */
static const struct mkfs_option mkfs_options[] = {
	{ MKFS_AT(uuid), .kind = MKFS_TEXT, MKFS_X("-m", "uuid"), MKFS_E("-U", NULL),
	  MKFS_B("-U", NULL), .fact = "uuid" },
	{ MKFS_AT(block_size), MKFS_X("-b", "size"), MKFS_E("-b", NULL), .fact = "block_size" },
	{ MKFS_AT(sector_size), MKFS_X("-s", "size"), MKFS_B("-s", NULL), .fact = "sector_size" },
	{ MKFS_AT(inode_size), MKFS_X("-i", "size"), MKFS_E("-I", NULL), .fact = "inode_size" },
	{ MKFS_AT(size), MKFS_X("-d", "size"), MKFS_E(MKFS_LAST, NULL), MKFS_B("-b", NULL) },
	{ MKFS_AT(agcount), MKFS_X("-d", "agcount"), .fact = "agcount" },
	{ MKFS_AT(agsize), MKFS_X("-d", "agsize"), .fact = "agsize" },
	{ MKFS_AT(su), MKFS_X("-d", "su"), .fact = "sunit" },
	{ MKFS_AT(sw), MKFS_X("-d", "sw") },
	{ MKFS_AT(sunit), .unit = MKFS_SECTORS, MKFS_X("-d", "sunit"), .fact = "sunit" },
	{ MKFS_AT(swidth), .unit = MKFS_SECTORS, MKFS_X("-d", "swidth"), .fact = "swidth" },
	{ MKFS_AT(log_size), MKFS_X("-l", "size"), .fact = "log_size" },
	{ MKFS_AT(log_su), MKFS_X("-l", "su"), .fact = "log_sunit" },
	{ MKFS_AT(log_version), MKFS_X("-l", "version"), .fact = "log_version" },
	{ MKFS_AT(log_sector_size), MKFS_X("-l", "sectsize"), .fact = "log_sector_size" },
	{ MKFS_AT(log_agnum), MKFS_X("-l", "agnum"), .fact = "log_start_agno" },
	{ MKFS_AT(lazy_count), MKFS_X("-l", "lazy-count"), .fact = "lazy-count" },
	{ MKFS_AT(naming_size), MKFS_X("-n", "size"), .fact = "naming_size" },
	{ MKFS_AT(naming_version), MKFS_OF(mkfs_namings), MKFS_X("-n", "version") },
	{ MKFS_AT(ftype), MKFS_X("-n", "ftype"), .fact = "ftype" },
	{ MKFS_AT(crc), MKFS_X("-m", "crc"), .fact = "crc" },
	{ MKFS_AT(reflink), MKFS_X("-m", "reflink"), .fact = "reflink" },
	{ MKFS_AT(rmapbt), MKFS_X("-m", "rmapbt"), .fact = "rmapbt" },
	{ MKFS_AT(bigtime), MKFS_X("-m", "bigtime"), .fact = "bigtime" },
	{ MKFS_AT(finobt), MKFS_X("-m", "finobt"), .fact = "finobt" },
	{ MKFS_AT(inobtcount), MKFS_X("-m", "inobtcount"), .fact = "inobtcount" },
	{ MKFS_AT(sparse), MKFS_X("-i", "sparse"), .fact = "sparse" },
	{ MKFS_AT(nrext64), MKFS_X("-i", "nrext64"), .fact = "nrext64" },
	{ MKFS_AT(projid32bit), MKFS_X("-i", "projid32bit"), .fact = "projid32bit" },
	{ MKFS_AT(attr), MKFS_X("-i", "attr") },
	{ MKFS_AT(maxpct), MKFS_X("-i", "maxpct"), .fact = "imaxpct" },
	{ MKFS_AT(journal_size), .unit = MKFS_MIB, MKFS_E("-J", "size"), .fact = "journal_size" },
	{ MKFS_AT(stride), .unit = MKFS_BLOCKS, MKFS_E("-E", "stride"), .fact = "stride" },
	{ MKFS_AT(stripe_width), .unit = MKFS_BLOCKS, MKFS_E("-E", "stripe_width"),
	  .fact = "stripe_width" },
	{ MKFS_AT(cluster_size), MKFS_E("-C", NULL), .fact = "cluster_size" },
	{ MKFS_AT(inode_ratio), MKFS_E("-i", NULL) },
	{ MKFS_AT(inodes), MKFS_E("-N", NULL), .fact = "inodes" },
	{ MKFS_AT(flex_bg_groups), MKFS_E("-G", NULL), .fact = "flex_bg_groups" },
	{ MKFS_AT(reserved_percent), .kind = MKFS_REAL, MKFS_E("-m", NULL) },
	{ MKFS_AT(usage_type), .kind = MKFS_TEXT, MKFS_E("-T", NULL) },
	{ MKFS_AT(node_size), MKFS_B("-n", NULL), .fact = "node_size" },
	{ MKFS_AT(data), MKFS_OF(mkfs_profiles), MKFS_B("-d", NULL), .fact = "data_profile" },
	{ MKFS_AT(metadata), MKFS_OF(mkfs_profiles), MKFS_B("-m", NULL),
	  .fact = "metadata_profile" },
	{ MKFS_AT(checksum), MKFS_OF(mkfs_checksums), MKFS_B("--csum", NULL), .fact = "checksum" },
};

static inline int mkfs_family(const struct mkfs_cfg *cfg)
{
	return cfg->fs == MKFS_XFS     ? MKFS_FAMILY_XFS
	       : cfg->fs == MKFS_BTRFS ? MKFS_FAMILY_BTRFS
				       : MKFS_FAMILY_EXT;
}

static inline const char *mkfs_fs_name(int fs)
{
	size_t i;

	for (i = 0; i < FST_COUNT(mkfs_types); i++)
		if (mkfs_types[i].value == fs)
			return mkfs_types[i].name;
	return "";
}

/* As the tool's name is in the plugin's table; mkfs.ext4 makes all three. */
static inline const char *mkfs_program(int fs)
{
	return fs == MKFS_XFS ? "mkfs.xfs" : fs == MKFS_BTRFS ? "mkfs.btrfs" : "mkfs.ext4";
}

static inline const void *mkfs_field(const struct mkfs_cfg *cfg, const struct mkfs_option *o)
{
	return (const char *)cfg + o->offset;
}

static inline uint64_t mkfs_number(const struct mkfs_cfg *cfg, const struct mkfs_option *o)
{
	return o->kind == MKFS_NUMBER ? *(const uint64_t *)mkfs_field(cfg, o) : 0;
}

/* The value as our files have it: sizes in bytes. buf holds it where it is no text of its own. */
static inline const char *mkfs_value(const struct mkfs_cfg *cfg, const struct mkfs_option *o,
				     char *buf, size_t size)
{
	const void *p = mkfs_field(cfg, o);
	size_t i;

	switch (o->kind) {
	case MKFS_TEXT:
		return *(const char *const *)p;
	case MKFS_REAL:
		snprintf(buf, size, "%.6g", *(const double *)p);
		return buf;
	case MKFS_CHOICE:
		for (i = 0; i < o->n_choices; i++)
			if (o->choices[i].value == *(const int *)p)
				return o->choices[i].name;
		return "";
	default:
		snprintf(buf, size, "%" PRIu64, mkfs_number(cfg, o));
		return buf;
	}
}
