/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What direct I/O on a file asks for. */
#pragma once

#include <stdint.h>

#include "core/io/options.h"
#include "core/util/err.h"
#include "core/util/macro.h"

/*
 * Can I/Os of p's block sizes and offsets into a file of size bytes be direct? fd is open with O_DIRECT. -EINVAL and a
 * text with the alignment when not. Where the kernel does not tell, one read is tried.
 */
int direct_check(int fd, const char *name, const struct io_params *p, uint64_t size,
		 struct err *e) _must_check_;
