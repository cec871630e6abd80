/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a btrfs says of itself: from the superblock, and of its block groups by ioctl. */
#include "core/record/fs_btrfs.h"

#include <endian.h>
#include <linux/btrfs.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "core/record/uuid_text.h"
#include "core/util/json.h"
#include "core/util/macro.h"
#include "core/util/str.h"
#include "core/util/strbuf.h"
#include "core/util/xalloc.h"

/* Of the superblock, little-endian; by offset, as the installed header may not have it. */
enum {
	SB_OFFSET = 65536,
	SB_SIZE = 4096,
	SB_FSID = 32,
	SB_MAGIC = 64,
	SB_TOTAL_BYTES = 112,
	SB_NUM_DEVICES = 136,
	SB_SECTOR_SIZE = 144,
	SB_NODE_SIZE = 148,
	SB_COMPAT_RO = 180,
	SB_INCOMPAT = 188,
	SB_CSUM_TYPE = 196,
};

static const char fs_btrfs_magic[] = "_BHRfS_M";

enum fs_btrfs_word { WORD_COMPAT_RO, WORD_INCOMPAT };

/* Left out is what tells a state and not a choice: that a file was compressed once. */
static const struct fs_btrfs_feature {
	const char *name; /* btrfs-progs' */
	enum fs_btrfs_word word;
	uint64_t bit;
} fs_btrfs_features[] = {
	{ "mixed-bg", WORD_INCOMPAT, 1u << 2 },
	{ "extref", WORD_INCOMPAT, 1u << 6 },
	{ "raid56", WORD_INCOMPAT, 1u << 7 },
	{ "skinny-metadata", WORD_INCOMPAT, 1u << 8 },
	{ "no-holes", WORD_INCOMPAT, 1u << 9 },
	{ "raid1c34", WORD_INCOMPAT, 1u << 11 },
	{ "zoned", WORD_INCOMPAT, 1u << 12 },
	{ "extent-tree-v2", WORD_INCOMPAT, 1u << 13 },
	{ "raid-stripe-tree", WORD_INCOMPAT, 1u << 14 },
	{ "squota", WORD_INCOMPAT, 1u << 16 },
	{ "free-space-tree", WORD_COMPAT_RO, 1u << 0 },
	{ "block-group-tree", WORD_COMPAT_RO, 1u << 3 },
};

static const char *const fs_btrfs_checksums[] = { "crc32c", "xxhash", "sha256", "blake2" };

bool fs_btrfs_has_feature_name(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(fs_btrfs_features); i++) {
		if (str_eq(fs_btrfs_features[i].name, name))
			return true;
	}
	return false;
}

static uint64_t fs_btrfs_u64(const unsigned char *sb, size_t at)
{
	uint64_t v;

	memcpy(&v, sb + at, sizeof(v));
	return le64toh(v);
}

static uint32_t fs_btrfs_u32(const unsigned char *sb, size_t at)
{
	uint32_t v;

	memcpy(&v, sb + at, sizeof(v));
	return le32toh(v);
}

static void fs_btrfs_put(const unsigned char *sb, json_t *o, json_t *facts)
{
	const uint64_t words[] = {
		[WORD_COMPAT_RO] = fs_btrfs_u64(sb, SB_COMPAT_RO),
		[WORD_INCOMPAT] = fs_btrfs_u64(sb, SB_INCOMPAT),
	};
	const size_t checksum = sb[SB_CSUM_TYPE] | (size_t)sb[SB_CSUM_TYPE + 1] << 8;
	json_t *features = js_array();
	char uuid[40];

	js_set(o, "block_size", js_u64(fs_btrfs_u32(sb, SB_SECTOR_SIZE)));
	js_set(o, "sector_size", js_u64(fs_btrfs_u32(sb, SB_SECTOR_SIZE)));
	js_set(o, "node_size", js_u64(fs_btrfs_u32(sb, SB_NODE_SIZE)));
	js_set(o, "size", js_u64(fs_btrfs_u64(sb, SB_TOTAL_BYTES)));
	js_set(o, "devices", js_u64(fs_btrfs_u64(sb, SB_NUM_DEVICES)));
	if (checksum < ARRAY_SIZE(fs_btrfs_checksums))
		js_set(o, "checksum", js_str(fs_btrfs_checksums[checksum]));
	js_set(facts, "uuid", js_str(uuid_text(sb + SB_FSID, uuid, sizeof(uuid))));
	for (size_t i = 0; i < ARRAY_SIZE(fs_btrfs_features); i++) {
		if (words[fs_btrfs_features[i].word] & fs_btrfs_features[i].bit)
			js_push(features, js_str(fs_btrfs_features[i].name));
	}
	js_set(facts, "features", features);
}

/* ---- profiles -------------------------------------------------------------------------------- */

/* Bits of a block group's type, as the kernel's ABI has them; none of a profile's: "single". */
static const struct {
	uint64_t bit;
	const char *name;
} fs_btrfs_profiles[] = {
	{ 1u << 3, "raid0" }, { 1u << 4, "raid1" }, { 1u << 5, "dup" },	    { 1u << 6, "raid10" },
	{ 1u << 7, "raid5" }, { 1u << 8, "raid6" }, { 1u << 9, "raid1c3" }, { 1u << 10, "raid1c4" },
};

static const struct {
	uint64_t bit;
	const char *key;
} fs_btrfs_uses[] = {
	{ 1u << 0, "data_profile" },
	{ 1u << 2, "metadata_profile" },
	{ 1u << 1, "system_profile" },
};

#define FS_BTRFS_GLOBAL_RESERVE (1ULL << 49)

static const char *fs_btrfs_profile(uint64_t flags)
{
	for (size_t i = 0; i < ARRAY_SIZE(fs_btrfs_profiles); i++) {
		if (flags & fs_btrfs_profiles[i].bit)
			return fs_btrfs_profiles[i].name;
	}
	return "single";
}

static void fs_btrfs_put_use(const struct btrfs_ioctl_space_args *args, size_t use, json_t *o)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	for (uint64_t i = 0; i < args->total_spaces; i++) {
		const uint64_t flags = args->spaces[i].flags;

		if ((flags & fs_btrfs_uses[use].bit) && !(flags & FS_BTRFS_GLOBAL_RESERVE))
			strbuf_addf(&text, "%s%s", text.len ? "+" : "", fs_btrfs_profile(flags));
	}
	if (text.len)
		js_set(o, fs_btrfs_uses[use].key, js_str(strbuf_str(&text)));
}

static void fs_btrfs_put_profiles(int dir, json_t *o)
{
	enum { SLOTS = 32 };
	_cleanup_free_ struct btrfs_ioctl_space_args *args = xcalloc(
		1, sizeof(*args) + SLOTS * sizeof(struct btrfs_ioctl_space_info));

	args->space_slots = SLOTS;
	if (ioctl(dir, BTRFS_IOC_SPACE_INFO, args) || args->total_spaces > SLOTS)
		return;
	for (size_t use = 0; use < ARRAY_SIZE(fs_btrfs_uses); use++)
		fs_btrfs_put_use(args, use, o);
}

void fs_btrfs_facts(int dir, int device, json_t *facts)
{
	unsigned char sb[SB_SIZE];
	json_t *o = js_object();

	if (device >= 0 && pread(device, sb, sizeof(sb), SB_OFFSET) == (ssize_t)sizeof(sb) &&
	    !memcmp(sb + SB_MAGIC, fs_btrfs_magic, sizeof(fs_btrfs_magic) - 1))
		fs_btrfs_put(sb, o, facts);
	if (dir >= 0)
		fs_btrfs_put_profiles(dir, o);
	if (json_object_size(o))
		js_set(facts, "geometry", o);
	else
		json_decref(o);
}
