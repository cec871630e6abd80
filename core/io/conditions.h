/* SPDX-License-Identifier: GPL-3.0-or-later */
/* In what state the data was before it was measured. */
#pragma once

#include <stdint.h>

#include "core/io/files.h"

/*
 * Share of the files' pages that are in the page cache, 0 to 1; NaN when there are none or it is
 * not known. New files do not count. Above 4 GiB evenly spread windows are looked at.
 */
double conditions_resident(const struct io_files *f);
/* Bytes of memory of this machine. */
uint64_t conditions_ram(void);
