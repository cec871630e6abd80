/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The one place that decides whether a device may be destroyed. Everything that formats or
 * overwrites a device passes here first; opens read-only (and O_EXCL), writes nothing.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/util/blockdev.h"
#include "core/util/err.h"

/* The label that our own file systems carry: nobody is asked before they go. */
#define GUARD_LABEL "fstrial"

struct guard_request {
	const char *device; /* as the job names it */
	/*
	 * What `destroy` and --destroy say: kernel names, serials, by-id names, device-mapper
	 * names; also as a path, "/dev/sdb1", "/dev/disk/by-id/...", "/dev/mapper/...".
	 */
	const char *const *confirmed;
	size_t n_confirmed;
	bool overwrite; /* a signature of somebody else's may go */
	int *lock; /* or NULL: gets a descriptor that holds the device's flock(2) against other sessions */
};

/*
 * 0: may be destroyed; *bd is what was looked at. -EPERM otherwise with one line that says what was
 * found ("/dev/sdb1 is mounted on /data", "... holds an xfs file system (label home): add overwrite
 * = true", "... is not confirmed: add destroy = \"sdb1\" to target").
 */
int guard_check(const struct guard_request *r, struct blockdev *bd, struct err *e) _must_check_;
/* Just before use: the path still leads to the device that was checked, and nobody holds it. */
int guard_recheck(const char *path, const struct blockdev *bd, struct err *e) _must_check_;
/*
 * A device that a step made (a volume, a partition): does it consist of the one that was checked and of
 * nothing else? free: also that nobody holds it. The checked one may be held, by what stands on it.
 */
int guard_stands_on(const char *path, const struct blockdev *target, bool free, struct err *e) _must_check_;
