/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Structures of a plugin that may be shorter or longer than ours. What is missing reads as
 * zero; what we do not know must be zero.
 */
#pragma once

#include <fstrial/plugin.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Element i of a table whose elements are stride bytes apart, into out of size bytes. */
void element_copy(const void *table, uint32_t i, uint32_t stride, void *out, size_t size);
/* Is everything zero in raw of raw_size bytes beyond the known ones? */
bool element_tail_is_zero(const void *raw, size_t raw_size, size_t known);
/* The operations of an engine as far as we know them. */
void element_engine(const struct fst_engine_ops *raw, struct fst_engine_ops *out);
