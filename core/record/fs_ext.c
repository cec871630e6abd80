/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an ext2, ext3 or ext4 says of itself, from the superblock. */
#include "core/record/fs_ext.h"

#include "config.h"

#if HAVE_EXT2FS
#include <ext2fs/ext2_fs.h>
#endif

#include <endian.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "core/util/json.h"
#include "core/util/macro.h"
#include "core/util/str.h"
#include "core/util/xalloc.h"

enum fs_ext_word { WORD_COMPAT, WORD_RO_COMPAT, WORD_INCOMPAT };

/*
 * On-disk bits by number, as the installed header may know fewer. Left out are those that tell a
 * state and not a choice: needs_recovery, orphan_present.
 */
static const struct fs_ext_feature {
	const char *name; /* e2fsprogs' */
	enum fs_ext_word word;
	uint32_t bit;
} fs_ext_features[] = {
	{ "dir_prealloc", WORD_COMPAT, 0x0001 },
	{ "imagic_inodes", WORD_COMPAT, 0x0002 },
	{ "has_journal", WORD_COMPAT, 0x0004 },
	{ "ext_attr", WORD_COMPAT, 0x0008 },
	{ "resize_inode", WORD_COMPAT, 0x0010 },
	{ "dir_index", WORD_COMPAT, 0x0020 },
	{ "sparse_super2", WORD_COMPAT, 0x0200 },
	{ "fast_commit", WORD_COMPAT, 0x0400 },
	{ "stable_inodes", WORD_COMPAT, 0x0800 },
	{ "orphan_file", WORD_COMPAT, 0x1000 },
	{ "filetype", WORD_INCOMPAT, 0x0002 },
	{ "journal_dev", WORD_INCOMPAT, 0x0008 },
	{ "meta_bg", WORD_INCOMPAT, 0x0010 },
	{ "extent", WORD_INCOMPAT, 0x0040 },
	{ "64bit", WORD_INCOMPAT, 0x0080 },
	{ "mmp", WORD_INCOMPAT, 0x0100 },
	{ "flex_bg", WORD_INCOMPAT, 0x0200 },
	{ "ea_inode", WORD_INCOMPAT, 0x0400 },
	{ "metadata_csum_seed", WORD_INCOMPAT, 0x2000 },
	{ "large_dir", WORD_INCOMPAT, 0x4000 },
	{ "inline_data", WORD_INCOMPAT, 0x8000 },
	{ "encrypt", WORD_INCOMPAT, 0x10000 },
	{ "casefold", WORD_INCOMPAT, 0x20000 },
	{ "sparse_super", WORD_RO_COMPAT, 0x0001 },
	{ "large_file", WORD_RO_COMPAT, 0x0002 },
	{ "huge_file", WORD_RO_COMPAT, 0x0008 },
	{ "uninit_bg", WORD_RO_COMPAT, 0x0010 },
	{ "dir_nlink", WORD_RO_COMPAT, 0x0020 },
	{ "extra_isize", WORD_RO_COMPAT, 0x0040 },
	{ "quota", WORD_RO_COMPAT, 0x0100 },
	{ "bigalloc", WORD_RO_COMPAT, 0x0200 },
	{ "metadata_csum", WORD_RO_COMPAT, 0x0400 },
	{ "read-only", WORD_RO_COMPAT, 0x1000 },
	{ "project", WORD_RO_COMPAT, 0x2000 },
	{ "shared_blocks", WORD_RO_COMPAT, 0x4000 },
	{ "verity", WORD_RO_COMPAT, 0x8000 },
};

bool fs_ext_has_feature_name(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(fs_ext_features); i++) {
		if (str_eq(fs_ext_features[i].name, name))
			return true;
	}
	return false;
}

#if HAVE_EXT2FS

#define FS_EXT_SB_OFFSET 1024
#define FS_EXT_MAGIC 0xef53
#define FS_EXT_JOURNAL_BACKUP 1 /* s_jnl_blocks hold a copy of the journal's inode */

static uint64_t fs_ext_u64(uint32_t lo, uint32_t hi, bool is_64bit)
{
	return le32toh(lo) | (is_64bit ? (uint64_t)le32toh(hi) << 32 : 0);
}

static bool fs_ext_sb_has(const struct ext2_super_block *sb, enum fs_ext_word word, uint32_t bit)
{
	const uint32_t words[] = {
		[WORD_COMPAT] = sb->s_feature_compat,
		[WORD_RO_COMPAT] = sb->s_feature_ro_compat,
		[WORD_INCOMPAT] = sb->s_feature_incompat,
	};

	return le32toh(words[word]) & bit;
}

static void fs_ext_put_journal(const struct ext2_super_block *sb, json_t *o)
{
	if (!fs_ext_sb_has(sb, WORD_COMPAT, 0x0004)) {
		js_set(o, "journal_size", js_u64(0));
		return;
	}
	js_set(o, "journal_internal", js_bool(sb->s_journal_inum != 0));
	/* The two words behind the block map are the size's upper and lower half. */
	if (sb->s_journal_inum && sb->s_jnl_backup_type == FS_EXT_JOURNAL_BACKUP)
		js_set(o, "journal_size",
		       js_u64(fs_ext_u64(sb->s_jnl_blocks[16], sb->s_jnl_blocks[15], true)));
}

#define FS_EXT_GROUP_ZEROED 0x0004 /* the inode table of the group is written */
#define FS_EXT_MAX_DESCS (4u << 20)

/*
 * Groups whose inode table the kernel will still write, in the background of what is measured: a state, so that it
 * is no part of the geometry. Only where
 * groups have such flags, and the descriptors are in one piece.
 */
static void fs_ext_put_lazy(const struct ext2_super_block *sb, int device, uint64_t groups,
			    json_t *facts)
{
	const uint64_t bs = 1024ULL << le32toh(sb->s_log_block_size);
	const bool is_64bit = fs_ext_sb_has(sb, WORD_INCOMPAT, 0x0080);
	const size_t size = is_64bit && le16toh(sb->s_desc_size) >= 32 ? le16toh(sb->s_desc_size)
								       : 32;
	/* In the block behind the superblock's, which is the second of 1 KiB ones whatever the first data block is. */
	const uint64_t at = bs == 1024 ? 2048 : bs;
	_cleanup_free_ unsigned char *p = NULL;
	uint64_t lazy = 0;

	if (!(fs_ext_sb_has(sb, WORD_RO_COMPAT, 0x0400) ||
	      fs_ext_sb_has(sb, WORD_RO_COMPAT, 0x0010)) ||
	    fs_ext_sb_has(sb, WORD_INCOMPAT, 0x0010) || groups * size > FS_EXT_MAX_DESCS)
		return;
	p = xcalloc(groups + 1, size);
	if (pread(device, p, groups * size, (off_t)at) != (ssize_t)(groups * size))
		return;
	for (uint64_t i = 0; i < groups; i++)
		lazy += !(p[i * size + 18] & FS_EXT_GROUP_ZEROED);
	js_set(facts, "lazy_groups", js_u64(lazy));
}

static void fs_ext_put(const struct ext2_super_block *sb, int device, json_t *facts)
{
	const uint64_t bs = 1024ULL << le32toh(sb->s_log_block_size);
	const bool is_64bit = fs_ext_sb_has(sb, WORD_INCOMPAT, 0x0080);
	const uint64_t blocks = fs_ext_u64(sb->s_blocks_count, sb->s_blocks_count_hi, is_64bit);
	const uint64_t reserved = fs_ext_u64(sb->s_r_blocks_count, sb->s_r_blocks_count_hi,
					     is_64bit);
	const uint64_t per_group = le32toh(sb->s_blocks_per_group);
	const uint64_t first = le32toh(sb->s_first_data_block);
	json_t *o = js_object();

	js_set(o, "block_size", js_u64(bs));
	js_set(o, "size", js_u64(blocks * bs));
	js_set(o, "reserved", js_u64(reserved * bs));
	js_set(o, "inode_size", js_u64(le32toh(sb->s_rev_level) ? le16toh(sb->s_inode_size) : 128));
	js_set(o, "inodes", js_u64(le32toh(sb->s_inodes_count)));
	js_set(o, "inodes_per_group", js_u64(le32toh(sb->s_inodes_per_group)));
	js_set(o, "blocks_per_group", js_u64(per_group));
	if (per_group && blocks > first) {
		const uint64_t groups = (blocks - first + per_group - 1) / per_group;

		js_set(o, "groups", js_u64(groups));
		fs_ext_put_lazy(sb, device, groups, facts);
	}
	if (fs_ext_sb_has(sb, WORD_RO_COMPAT, 0x0200) && le32toh(sb->s_log_cluster_size) < 22)
		js_set(o, "cluster_size", js_u64(1024ULL << le32toh(sb->s_log_cluster_size)));
	else
		js_set(o, "cluster_size", js_u64(bs));
	if (fs_ext_sb_has(sb, WORD_INCOMPAT, 0x0200) && sb->s_log_groups_per_flex < 32)
		js_set(o, "flex_bg_groups", js_u64(1ULL << sb->s_log_groups_per_flex));
	js_set(o, "stride", js_u64(le16toh(sb->s_raid_stride) * bs));
	js_set(o, "stripe_width", js_u64(le32toh(sb->s_raid_stripe_width) * bs));
	fs_ext_put_journal(sb, o);
	js_set(facts, "geometry", o);
}

void fs_ext_facts(int dir _unused_, int device, json_t *facts)
{
	struct ext2_super_block sb;
	json_t *features;

	_Static_assert(sizeof(sb) == 1024, "as on the device");
	if (device < 0 || pread(device, &sb, sizeof(sb), FS_EXT_SB_OFFSET) != (ssize_t)sizeof(sb))
		return;
	if (le16toh(sb.s_magic) != FS_EXT_MAGIC || le32toh(sb.s_log_block_size) > 16)
		return;
	fs_ext_put(&sb, device, facts);
	features = js_array();
	for (size_t i = 0; i < ARRAY_SIZE(fs_ext_features); i++) {
		if (fs_ext_sb_has(&sb, fs_ext_features[i].word, fs_ext_features[i].bit))
			js_push(features, js_str(fs_ext_features[i].name));
	}
	js_set(facts, "features", features);
}

#else

void fs_ext_facts(int dir _unused_, int device _unused_, json_t *facts _unused_)
{
}

#endif
