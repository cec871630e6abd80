/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an XFS says of itself: by ioctl when mounted, else from the superblock. */
#include "core/record/fs_xfs.h"

#include "config.h"

#if HAVE_XFS_XFS_H
#include <xfs/xfs.h>
#include <xfs/xfs_format.h>
#undef MIN /* they come with its <sys/param.h> */
#undef MAX
#endif

#include <endian.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "core/record/uuid_text.h"
#include "core/util/json.h"
#include "core/util/macro.h"
#include "core/util/str.h"

/*
 * Bits as the kernel's ABI has them; by number, as the installed header may know fewer than the
 * running kernel. Left out is what tells a state and not a choice: "attr" comes with the first
 * extended attribute.
 */
enum fs_xfs_word { WORD_V5, WORD_VERSION, WORD_FEATURES2, WORD_RO_COMPAT, WORD_INCOMPAT };

static const struct fs_xfs_feature {
	const char *name; /* mkfs.xfs's */
	uint32_t geom;	  /* XFS_FSOP_GEOM_FLAGS_* */
	uint32_t sb;	  /* the same in the superblock, in word */
	enum fs_xfs_word word;
	bool always_v5; /* not marked in version 5 superblocks, which always have it */
} fs_xfs_features[] = {
	{ "crc", 1u << 15, 0, WORD_V5, false },
	{ "attr2", 1u << 10, 0x0008, WORD_FEATURES2, true },
	{ "align", 1u << 3, 0x0080, WORD_VERSION, true },
	{ "ci", 1u << 12, 0x4000, WORD_VERSION, false },
	{ "lazy-count", 1u << 14, 0x0002, WORD_FEATURES2, true },
	{ "projid32bit", 1u << 11, 0x0080, WORD_FEATURES2, true },
	{ "ftype", 1u << 16, 0x0001, WORD_INCOMPAT, false },
	{ "finobt", 1u << 17, 0x0001, WORD_RO_COMPAT, false },
	{ "sparse", 1u << 18, 0x0002, WORD_INCOMPAT, false },
	{ "rmapbt", 1u << 19, 0x0002, WORD_RO_COMPAT, false },
	{ "reflink", 1u << 20, 0x0004, WORD_RO_COMPAT, false },
	{ "bigtime", 1u << 21, 0x0008, WORD_INCOMPAT, false },
	{ "inobtcount", 1u << 22, 0x0008, WORD_RO_COMPAT, false },
	{ "nrext64", 1u << 23, 0x0020, WORD_INCOMPAT, false },
	{ "exchange", 1u << 24, 0x0040, WORD_INCOMPAT, false },
	{ "parent", 1u << 25, 0x0080, WORD_INCOMPAT, false },
	{ "metadir", 1u << 26, 0x0100, WORD_INCOMPAT, false },
	{ "zoned", 1u << 27, 0x0200, WORD_INCOMPAT, false },
};

bool fs_xfs_has_feature_name(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(fs_xfs_features); i++) {
		if (str_eq(fs_xfs_features[i].name, name))
			return true;
	}
	return false;
}

#define FS_XFS_GEOM_LOGV2 (1u << 8)
#define FS_XFS_SB_LOGV2 0x0400u

#if HAVE_XFS_XFS_H

/* Both sources brought to one form; sizes in bytes but where "blocks" says otherwise. */
struct fs_xfs_geometry {
	uint32_t block_size, sector_size, inode_size, dir_size;
	uint32_t agblocks, agcount, imaxpct;
	uint32_t log_blocks, log_sector_size, log_sunit, log_version;
	uint64_t log_start; /* block number, the group in its upper bits; 0: external */
	uint64_t data_blocks, rt_blocks;
	uint64_t rt_extsize;
	uint32_t sunit_blocks, swidth_blocks;
};

/* Bits that a block number within a group takes. */
static unsigned int fs_xfs_agblklog(uint32_t agblocks)
{
	unsigned int bits = 0;

	while (bits < 32 && (uint64_t)1 << bits < agblocks)
		bits++;
	return bits;
}

static void fs_xfs_put(const struct fs_xfs_geometry *g, json_t *facts)
{
	json_t *o = js_object();
	const uint64_t bs = g->block_size;

	js_set(o, "agcount", js_u64(g->agcount));
	js_set(o, "agsize", js_u64(g->agblocks * bs));
	js_set(o, "block_size", js_u64(bs));
	js_set(o, "sector_size", js_u64(g->sector_size));
	js_set(o, "inode_size", js_u64(g->inode_size));
	js_set(o, "imaxpct", js_u64(g->imaxpct));
	js_set(o, "data_size", js_u64(g->data_blocks * bs));
	js_set(o, "sunit", js_u64(g->sunit_blocks * bs));
	js_set(o, "swidth", js_u64(g->swidth_blocks * bs));
	js_set(o, "naming_size", js_u64(g->dir_size));
	js_set(o, "log_size", js_u64(g->log_blocks * bs));
	js_set(o, "log_version", js_u64(g->log_version));
	js_set(o, "log_internal", js_bool(g->log_start != 0));
	if (g->log_start)
		js_set(o, "log_start_agno", js_u64(g->log_start >> fs_xfs_agblklog(g->agblocks)));
	js_set(o, "log_sector_size", js_u64(g->log_sector_size));
	/* 1 is how the superblock says that there is none. */
	js_set(o, "log_sunit", js_u64(g->log_sunit > 1 ? g->log_sunit : 0));
	js_set(o, "rt_size", js_u64(g->rt_blocks * bs));
	js_set(o, "rt_extsize", js_u64(g->rt_extsize));
	js_set(facts, "geometry", o);
}

static void fs_xfs_put_uuid(const unsigned char u[16], json_t *facts)
{
	char text[40];

	js_set(facts, "uuid", js_str(uuid_text(u, text, sizeof(text))));
}

static bool fs_xfs_by_ioctl(int dir, json_t *facts)
{
	struct xfs_fsop_geom x = { 0 };
	struct fs_xfs_geometry g;
	json_t *features;

	if (ioctl(dir, XFS_IOC_FSGEOMETRY, &x) || !x.blocksize)
		return false;
	g = (struct fs_xfs_geometry){
		.block_size = x.blocksize,
		.sector_size = x.sectsize,
		.inode_size = x.inodesize,
		.dir_size = x.dirblocksize,
		.agblocks = x.agblocks,
		.agcount = x.agcount,
		.imaxpct = x.imaxpct,
		.log_blocks = x.logblocks,
		.log_sector_size = x.logsectsize,
		.log_sunit = x.logsunit,
		.log_version = x.flags & FS_XFS_GEOM_LOGV2 ? 2 : 1,
		.log_start = x.logstart,
		.data_blocks = x.datablocks,
		.rt_blocks = x.rtblocks,
		.rt_extsize = (uint64_t)x.rtextsize * x.blocksize,
		.sunit_blocks = x.sunit,
		.swidth_blocks = x.swidth,
	};
	fs_xfs_put(&g, facts);
	fs_xfs_put_uuid(x.uuid, facts);
	features = js_array();
	for (size_t i = 0; i < ARRAY_SIZE(fs_xfs_features); i++) {
		if (x.flags & fs_xfs_features[i].geom)
			js_push(features, js_str(fs_xfs_features[i].name));
	}
	js_set(facts, "features", features);
	return true;
}

static bool fs_xfs_sb_has(const struct xfs_dsb *sb, const struct fs_xfs_feature *f)
{
	const uint32_t version = be16toh(sb->sb_versionnum);
	const bool v5 = (version & 0xf) == 5;

	switch (f->word) {
	case WORD_V5:
		return v5;
	case WORD_VERSION:
		return (version & f->sb) || (v5 && f->always_v5);
	case WORD_FEATURES2:
		return (be32toh(sb->sb_features2) & f->sb) || (v5 && f->always_v5);
	case WORD_RO_COMPAT:
		return v5 && (be32toh(sb->sb_features_ro_compat) & f->sb);
	case WORD_INCOMPAT:
		return v5 && (be32toh(sb->sb_features_incompat) & f->sb);
	}
	return false;
}

static void fs_xfs_by_superblock(int device, json_t *facts)
{
	unsigned char raw[512];
	struct fs_xfs_geometry g;
	struct xfs_dsb sb;
	json_t *features;

	_Static_assert(sizeof(sb) <= sizeof(raw), "a superblock fits a sector");
	if (pread(device, raw, sizeof(raw), 0) != (ssize_t)sizeof(raw))
		return;
	memcpy(&sb, raw, sizeof(sb));
	if (be32toh(sb.sb_magicnum) != XFS_SB_MAGIC || !sb.sb_blocksize || sb.sb_dirblklog > 16)
		return;
	g = (struct fs_xfs_geometry){
		.block_size = be32toh(sb.sb_blocksize),
		.sector_size = be16toh(sb.sb_sectsize),
		.inode_size = be16toh(sb.sb_inodesize),
		.dir_size = be32toh(sb.sb_blocksize) << sb.sb_dirblklog,
		.agblocks = be32toh(sb.sb_agblocks),
		.agcount = be32toh(sb.sb_agcount),
		.imaxpct = sb.sb_imax_pct,
		.log_blocks = be32toh(sb.sb_logblocks),
		.log_sector_size = be16toh(sb.sb_logsectsize),
		.log_sunit = be32toh(sb.sb_logsunit),
		.log_version = be16toh(sb.sb_versionnum) & FS_XFS_SB_LOGV2 ? 2 : 1,
		.log_start = be64toh(sb.sb_logstart),
		.data_blocks = be64toh(sb.sb_dblocks),
		.rt_blocks = be64toh(sb.sb_rblocks),
		.rt_extsize = (uint64_t)be32toh(sb.sb_rextsize) * be32toh(sb.sb_blocksize),
		.sunit_blocks = be32toh(sb.sb_unit),
		.swidth_blocks = be32toh(sb.sb_width),
	};
	/* What the ioctl says where the superblock has nothing. */
	if (!g.log_sector_size)
		g.log_sector_size = 512;
	fs_xfs_put(&g, facts);
	fs_xfs_put_uuid((const unsigned char *)&sb.sb_uuid, facts);
	features = js_array();
	for (size_t i = 0; i < ARRAY_SIZE(fs_xfs_features); i++) {
		if (fs_xfs_sb_has(&sb, &fs_xfs_features[i]))
			js_push(features, js_str(fs_xfs_features[i].name));
	}
	js_set(facts, "features", features);
}

void fs_xfs_facts(int dir, int device, json_t *facts)
{
	if (dir >= 0 && fs_xfs_by_ioctl(dir, facts))
		return;
	if (device >= 0)
		fs_xfs_by_superblock(device, facts);
}

#else

void fs_xfs_facts(int dir _unused_, int device _unused_, json_t *facts _unused_)
{
}

#endif
