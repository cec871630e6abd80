/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lvm: the label that makes a device a physical volume, and the UUID in it. */
#pragma once

#include "block_sys.h"

#define LVM_UUID_LEN 32
#define LVM_UUID_TEXT (LVM_UUID_LEN + 7) /* six dashes and the end */

static const char lvm_uuid_letters[] =
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

/* 6-4-4-4-4-4-6 letters, as the tools print it. */
static inline void lvm_uuid_dashed(const char *plain, char *text)
{
	static const unsigned char groups[] = { 6, 4, 4, 4, 4, 4, 6 };
	size_t i;

	for (i = 0; i < sizeof(groups); i++) {
		memcpy(text, plain, groups[i]);
		plain += groups[i];
		text += groups[i];
		*text++ = '-';
	}
	text[-1] = '\0';
}

static inline int lvm_new_uuid(struct fst_ctx *ctx, char text[LVM_UUID_TEXT])
{
	unsigned char random[LVM_UUID_LEN];
	char plain[LVM_UUID_LEN];
	size_t i;

	if (getrandom(random, sizeof(random), 0) != sizeof(random))
		return fst_error(ctx, errno, "getrandom");
	for (i = 0; i < sizeof(plain); i++)
		plain[i] = lvm_uuid_letters[random[i] % (sizeof(lvm_uuid_letters) - 1)];
	lvm_uuid_dashed(plain, text);
	return 0;
}

/* The UUID in a label in one of the first four sectors; false when there is none. */
static inline bool lvm_label_uuid(const unsigned char *head, size_t size, char text[LVM_UUID_TEXT])
{
	size_t at, header;

	for (at = 0; at + 512 <= size && at < 4 * 512; at += 512) {
		const unsigned char *label = head + at;

		if (memcmp(label, "LABELONE", 8) != 0 || memcmp(label + 24, "LVM2 001", 8) != 0)
			continue;
		header = label[20] | (size_t)label[21] << 8;
		if (header + LVM_UUID_LEN > 512)
			return false;
		lvm_uuid_dashed((const char *)label + header, text);
		return true;
	}
	return false;
}

/* 1: device has a label with this UUID. 0: another one or none, or no such device. */
static inline int lvm_has_label(const char *device, const char *uuid)
{
	unsigned char head[4 * 512];
	char found[LVM_UUID_TEXT];
	int fd = open(device, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return 0;
	/* What another program wrote is in the device's cache, which is this one's too. */
	n = pread(fd, head, sizeof(head), 0);
	close(fd);
	return n == (ssize_t)sizeof(head) && lvm_label_uuid(head, sizeof(head), found) &&
	       strcmp(found, uuid) == 0;
}
