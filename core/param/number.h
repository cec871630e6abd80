/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Numbers as jobs write them: "4KiB", "2*ram", "ram/4", "50%" (of the target), "target.size -
 * 1GiB", "2*cpus". Sums and products with parentheses; sizes and times keep their dimension, so
 * that "2*4" is no size and "4KiB*4KiB" is nothing at all.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/param/param_names.h"
#include "core/util/err.h"
#include "core/util/macro.h"

/*
 * The text of e begins with the number in quotes where it is the whole text ("\"4x\": unknown
 * unit"), else it is only the reason. names may be NULL: then names are unknown.
 */
int number_parse_u64(const char *text, const struct param_names *names, uint64_t *out,
		     struct err *e) _must_check_;
int number_parse_i64(const char *text, const struct param_names *names, int64_t *out,
		     struct err *e) _must_check_;
int number_parse_f64(const char *text, const struct param_names *names, double *out,
		     struct err *e) _must_check_;
/*
 * A size that is a part of ram or of the target is rounded down to a multiple of 4 KiB, so that
 * direct I/O can use all of it.
 */
int number_parse_size(const char *text, const struct param_names *names, uint64_t *bytes,
		      struct err *e) _must_check_;
int number_parse_time(const char *text, const struct param_names *names, uint64_t *ns,
		      struct err *e) _must_check_;
/* *order of two numbers, <0 0 >0; false when one is none, or a size is compared with a time. */
bool number_compare(const char *a, const char *b, const struct param_names *names, int *order);
/* A number of any kind: bytes for sizes, ns for times. False when text is none. */
bool number_any(const char *text, const struct param_names *names, long double *out);
/* Are two texts the same, or the same number ("8MiB" and "8m")? */
bool number_same(const char *a, const char *b, const struct param_names *names);
