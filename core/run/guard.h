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
#include "core/util/vec.h"

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
	bool only_read; /* nothing will be destroyed: nobody is asked, and it may be in use */
	int *lock; /* or NULL: gets a descriptor that holds the device's flock(2) against other sessions */
};

/*
 * 0: may be destroyed; *bd is what was looked at. -EPERM otherwise with one line that says what was
 * found ("/dev/sdb1 is mounted on /data", "... holds an xfs file system (label home): add overwrite
 * = true", "... is not confirmed: add destroy = \"sdb1\" to target").
 */
int guard_check(const struct guard_request *r, struct blockdev *bd, struct err *e) _must_check_;
/*
 * What is written on a device, for people: "an xfs file system (label home)", "nothing known"; NULL where it
 * cannot be read. Opens it for reading only. The caller frees it.
 */
char *guard_holds(const char *path);
/*
 * What a mapped device or an array is built from, "sdb sdc": its tables can be changed under its name. "" for any
 * other device. The caller frees it.
 */
char *guard_parts(const struct blockdev *bd);
/* Just before use: the path still leads to the device that was checked, and nobody holds it. */
int guard_recheck(const char *path, const struct blockdev *bd, struct err *e) _must_check_;
/*
 * Are two of them the same, or one a part of the other? -EPERM saying which: each would destroy the other's. Names
 * are those of the job, in the same order.
 */
int guard_distinct(const struct blockdev *v, const char *const *names, size_t n, struct err *e) _must_check_;

/* The disks there are at a time; NULL when they cannot be listed. */
struct ground_seen *guard_see(void);
void guard_forget(struct ground_seen *s);

typedef VEC(struct blockdev) guard_blockdevs;

/* What the devices that steps make may stand on. */
struct guard_ground {
	const struct blockdev *v; /* that passed the guard, or were taken before */
	size_t n;
	const char *own_dir; /* made empty by this session: files below may be behind loop devices; or NULL */
	const char *dir;     /* where the trial works: files below that were made after began_ns; or NULL */
	int64_t began_ns;    /* wall clock as files have it */
	const struct ground_seen *seen; /* or NULL; a disk in memory that is not among them is new and empty */
	guard_blockdevs *found;		/* or NULL; gets these, also when the answer is no */
};

/*
 * A device that a step made (a volume, a partition, a loop device): does it stand on the ground and on nothing
 * else? free: also that nobody holds it; those it stands on may be held by it.
 */
int guard_stands_on(const char *path, const struct guard_ground *gr, bool free, struct err *e) _must_check_;
