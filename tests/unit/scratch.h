/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Loop devices for unit tests: sparse images in a directory of the test's own, all undone by
 * scratch_close(). For root only; a test asks scratch_skip() first.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SCRATCH_MAX 4 /* devices and mounts of one test */

struct scratch {
	char *dir;
	char *image[SCRATCH_MAX];
	char *device[SCRATCH_MAX]; /* "/dev/loopN" */
	char *mount[SCRATCH_MAX];  /* directory in dir, NULL: not mounted */
	size_t n_mounts;
};

/*
 * True, with a line that says why, when this machine cannot run a test that needs root and program.
 */
bool scratch_skip(const char *test, const char *program);
/* Makes the directory; false when that fails. */
bool scratch_open(struct scratch *s);
/* Makes an image of this size behind device i; false when that fails. */
bool scratch_attach(struct scratch *s, size_t i, uint64_t size, uint32_t sector);
/* Attaches a file of somebody else's as device i. */
bool scratch_attach_file(struct scratch *s, size_t i, const char *file);
/* "loop3" */
const char *scratch_name(const struct scratch *s, size_t i);
/* mount(2) on a new directory; its path, or NULL. */
const char *scratch_mount(struct scratch *s, const char *device, const char *type,
			  const char *options);
bool scratch_umount(struct scratch *s);
void scratch_close(struct scratch *s);

/*
 * Runs a program; false, with the first line of its complaint shown, when it does not end with 0.
 */
bool scratch_run(const char *program, ...) __attribute__((sentinel));
/* Of the device's first and last MiB; "" when it cannot be read. */
void scratch_digest(const char *device, char hex[65]);
