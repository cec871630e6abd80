/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a test of the device guard expects: an answer, and that asking changed nothing on the device
 * (the digest of its first and last MiB is taken around each call).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "scratch.h"

/*
 * Asks about path, which leads to device with the kernel name. confirmed: one word or NULL. want:
 * parts of the refusal, separated by |; NULL: allowed. @ in both is the kernel name.
 */
void guard_expect_path(const char *path, const char *device, const char *name,
		       const char *confirmed, bool overwrite, const char *want);
/* The same about device i by its own name. */
void guard_expect(const struct scratch *s, size_t i, const char *confirmed, bool overwrite,
		  const char *want);
/* Attaches empty devices; false when the test is to be left, with the reason said. */
bool guard_begin(struct scratch *s, const char *test, const char *program, size_t devices);
bool guard_mkfs_xfs(const struct scratch *s, size_t i, const char *label);
/* Writes to device i. */
void guard_put(const struct scratch *s, size_t i, off_t at, const void *data, size_t len);
