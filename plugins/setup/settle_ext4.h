/* SPDX-License-Identifier: GPL-3.0-or-later */
/* settle: inode tables that ext4 has left to be initialised after the mount. */
#pragma once

#include <endian.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Of the superblock, which begins at byte 1024. */
enum {
	EXT4_SB_AT = 1024,
	EXT4_BLOCKS = 0x04,
	EXT4_FIRST_BLOCK = 0x14,
	EXT4_LOG_BLOCK_SIZE = 0x18,
	EXT4_BLOCKS_PER_GROUP = 0x20,
	EXT4_MAGIC_AT = 0x38,
	EXT4_INCOMPAT = 0x60,
	EXT4_RO_COMPAT = 0x64,
	EXT4_DESC_SIZE = 0xfe,
	EXT4_BLOCKS_HIGH = 0x150,
	EXT4_SB_SIZE = 1024,
};

#define EXT4_MAGIC 0xef53
#define EXT4_INCOMPAT_META_BG 0x10u
#define EXT4_INCOMPAT_64BIT 0x80u
/* Only with one of these are there tables that are not initialised: GDT_CSUM, METADATA_CSUM. */
#define EXT4_RO_COMPAT_CSUM (0x10u | 0x400u)
#define EXT4_BG_FLAGS 0x12
#define EXT4_BG_INODE_ZEROED 0x4

struct settle_ext4 {
	uint64_t groups;
	uint64_t left; /* whose inode table is not initialised yet */
};

static uint32_t settle_le32(const unsigned char *sb, size_t at)
{
	uint32_t v;

	memcpy(&v, sb + at, sizeof(v));
	return le32toh(v);
}

static uint16_t settle_le16(const unsigned char *sb, size_t at)
{
	uint16_t v;

	memcpy(&v, sb + at, sizeof(v));
	return le16toh(v);
}

/* Group descriptors lie behind the superblock's block; the kernel's own are in the same cache as what is read. */
static bool settle_ext4_groups(int fd, const unsigned char *sb, struct settle_ext4 *out)
{
	bool wide = settle_le32(sb, EXT4_INCOMPAT) & EXT4_INCOMPAT_64BIT;
	uint64_t blocks = settle_le32(sb, EXT4_BLOCKS) |
			  (wide ? (uint64_t)settle_le32(sb, EXT4_BLOCKS_HIGH) << 32 : 0);
	uint32_t first = settle_le32(sb, EXT4_FIRST_BLOCK),
		 each = settle_le32(sb, EXT4_BLOCKS_PER_GROUP);
	uint32_t size = wide ? settle_le16(sb, EXT4_DESC_SIZE) : 32;
	off_t at = (off_t)(first + 1) * (1024 << (settle_le32(sb, EXT4_LOG_BLOCK_SIZE) & 15));
	unsigned char desc[1024];
	uint64_t g;

	if (!each || blocks <= first || size < 32 || size > sizeof(desc))
		return false;
	out->groups = (blocks - first + each - 1) / each;
	for (g = 0; g < out->groups; g++) {
		if (pread(fd, desc, size, at + (off_t)(g * size)) != (ssize_t)size)
			return false;
		out->left += !(settle_le16(desc, EXT4_BG_FLAGS) & EXT4_BG_INODE_ZEROED);
	}
	return true;
}

/* False where it is no such file system, or none that initialises anything later. */
static bool settle_ext4_read(const char *device, struct settle_ext4 *out)
{
	int fd = device ? open(device, O_RDONLY | O_CLOEXEC) : -1;
	unsigned char sb[EXT4_SB_SIZE];
	bool known = false;

	*out = (struct settle_ext4){ .groups = 0 };
	if (fd < 0)
		return false;
	if (pread(fd, sb, sizeof(sb), EXT4_SB_AT) == (ssize_t)sizeof(sb) &&
	    settle_le16(sb, EXT4_MAGIC_AT) == EXT4_MAGIC &&
	    (settle_le32(sb, EXT4_RO_COMPAT) & EXT4_RO_COMPAT_CSUM) &&
	    !(settle_le32(sb, EXT4_INCOMPAT) & EXT4_INCOMPAT_META_BG))
		known = settle_ext4_groups(fd, sb, out);
	close(fd);
	return known;
}
