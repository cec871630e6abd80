/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Who uses a block device. Each function answers for one device number and knows nothing of disks
 * and partitions. A text is one phrase that fits behind "/dev/sdb1 is ..."; the caller frees it;
 * NULL: not used in this way. Where the kernel cannot be asked the answer is a phrase too.
 */
#pragma once

#include <sys/types.h>

/*
 * "mounted on /data", "the logdev of /data", "part of the mounted btrfs UUID". Only what the mount
 * namespace of this process shows: other ones are found by O_EXCL alone.
 */
char *blockuse_mount(dev_t dev);
/* "in use as swap". */
char *blockuse_swap(dev_t dev);
/* "held by dm-0 (vg-data)", from the kernel's list of holders. */
char *blockuse_holder(dev_t dev);
/* Any of these, or "open in process 123 (fio)"; for naming who is in the way, not for deciding. */
char *blockuse_any(dev_t dev);
