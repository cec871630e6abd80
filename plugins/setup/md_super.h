/* SPDX-License-Identifier: GPL-3.0-or-later */
/* md: whose superblock is in an image that no loop device is over; mdadm cannot read all of them (on tmpfs, for one). */
#pragma once

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MD_SUPER_BYTES 64 /* of its beginning are enough */

/* 16 bytes of "01234567:01234567:01234567:01234567", in that order. */
static inline void md_super_uuid(const char *text, unsigned char u[16])
{
	size_t i, k;

	for (i = 0; i < 4; i++) {
		unsigned long word = strlen(text) >= 9 * i + 8 ? strtoul(text + 9 * i, NULL, 16)
							       : 0;

		for (k = 0; k < 4; k++)
			u[4 * i + k] = (unsigned char)(word >> (24 - 8 * k));
	}
}

/* Versions 1.x have the UUID as bytes, 0.90 as four numbers, the first of them apart. */
static inline bool md_super_is(const unsigned char *p, const unsigned char u[16], bool old)
{
	static const unsigned char magic[] = { 0xfc, 0x4e, 0x2b, 0xa9 };
	size_t i, k, at;

	if (memcmp(p, magic, sizeof(magic)) != 0)
		return false;
	if (!old)
		return memcmp(p + 16, u, 16) == 0;
	for (i = 0; i < 4; i++)
		for (k = 0; k < 4; k++) {
			at = i ? 48 + 4 * i : 20;
			if (p[at + k] != u[4 * i + 3 - k])
				return false;
		}
	return true;
}

static inline bool md_super_in(const char *file, const char *uuid)
{
	unsigned char p[MD_SUPER_BYTES], u[16];
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	off_t size = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);
	const struct {
		off_t at;
		bool old;
	} places[] = {
		{ (size & ~(off_t)65535) - 65536, true },
		{ (size - 8192) & ~(off_t)4095, false },
		{ 0, false },
		{ 4096, false },
	};
	bool found = false;
	size_t i;

	md_super_uuid(uuid, u);
	for (i = 0; i < sizeof(places) / sizeof(places[0]) && fd >= 0 && !found; i++)
		found = places[i].at >= 0 &&
			pread(fd, p, sizeof(p), places[i].at) == (ssize_t)sizeof(p) &&
			md_super_is(p, u, places[i].old);
	if (fd >= 0)
		close(fd);
	return found;
}
