/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A block device in the place of a step's data files: one "file", number 0, for all workers. Nothing is made, filled
 * or removed. Who may write there is decided before, by the guard; while it is written the device is held, so
 * that nobody mounts or formats it meanwhile.
 */
#pragma once

#include <sys/types.h>

#include "core/io/files.h"
#include "core/io/options.h"
#include "core/util/err.h"

struct io_device {
	const char *path; /* the kernel's own node */
	dev_t dev;
	uint64_t size;	/* bytes */
	bool may_write; /* it passed the guard for that */
};

/*
 * Where n workers work on have bytes of what: *size for each, p's own or all there is behind their offsets. -EINVAL
 * with both sizes when it does not fit.
 */
int device_range(const struct io_params *p, uint64_t n, uint64_t have, const char *what,
		 uint64_t *size, struct err *e) _must_check_;
/* f works on dev, which lives as long. hold: it will be opened, and if it may be written nobody else may have it. */
int device_init(struct io_files *f, const struct io_device *dev, bool hold,
		struct err *e) _must_check_;
void device_release(struct io_files *f);
/* fst_files() */
int device_add(struct io_files *f, const struct io_params *p, uint32_t nworkers, uint32_t mode,
	       struct err *e) _must_check_;
/* As files_open_one(). */
int device_open(const struct io_files *f, int flags, struct err *e);
