/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of the device guard share; nobody else includes this. */
#pragma once

#include <stddef.h>
#include <sys/types.h>

#include "core/run/guard.h"
#include "core/util/blockdev.h"
#include "core/util/err.h"
#include "core/util/vec.h"

/* Devices that would be hurt with the one asked for, or of which it is a part; PATH: other ways to the same disk. */
enum guard_relation { GUARD_SELF, GUARD_PARTITION, GUARD_DISK, GUARD_BELOW, GUARD_PATH };

struct guard_relative {
	dev_t dev;
	enum guard_relation relation;
	char name[64]; /* kernel name */
};

struct guard {
	const struct guard_request *r;
	struct blockdev bd;
	char subject[320]; /* how messages call the device: "/dev/sdb1", "/dev/fast (sdb1)" */
	VEC(struct guard_relative) relatives; /* the device itself is the first */
	int fd;				      /* O_EXCL from the first look to the last, or -1 */
	int fd_err;			      /* positive errno of that open; 0 */
};

/* Fills relatives: itself, its partitions, the disk it is on, what dm and md build it from. */
int guard_find_relatives(struct guard *g, struct err *e);
/* sysfs is the device's directory. 0, also when it is there already, or -ENODEV. */
int guard_relative_add(struct guard *g, const char *sysfs, enum guard_relation relation);
/* guard_paths.c: adds the other paths to the same medium; 0 or -errno. */
int guard_find_paths(struct guard *g);

/* guard_ground.c: 0, or -EPERM with the first thing below bd that is none of the trial's. */
int guard_check_ground(const struct blockdev *bd, const struct guard_ground *gr, struct err *e);

/* One check each: 0, or -EPERM with its line in e. Opens nothing for writing. */
int guard_check_confirmed(struct guard *g, struct err *e);
int guard_check_mounted(struct guard *g, struct err *e);
int guard_check_swap(struct guard *g, struct err *e);
int guard_check_holders(struct guard *g, struct err *e);
int guard_check_loop(struct guard *g, struct err *e);
int guard_check_paths(struct guard *g, struct err *e);
int guard_check_signature(struct guard *g, struct err *e);
