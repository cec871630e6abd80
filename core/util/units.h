/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sizes and times with units, strictly parsed: the whole text must be a number and a unit, the
 * result must fit. Sizes: B; k KiB m MiB g GiB t TiB p PiB = powers of 1024 (one letter in either
 * case); kB MB GB TB PB = powers of 1000. Times: ns us ms s m h. Decimals are taken where the result
 * is a whole number of bytes or ns. A bare 0 needs no unit, any other bare number is an error.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/util/err.h"
#include "core/util/macro.h"

int units_parse_size(const char *text, uint64_t *bytes, struct err *e) _must_check_;
int units_parse_time(const char *text, uint64_t *ns, struct err *e) _must_check_;
/* Decimal integer, sign where signed; no white space inside, no unit, no octal; 0x is taken. */
int units_parse_u64(const char *text, uint64_t *out, struct err *e) _must_check_;
int units_parse_i64(const char *text, int64_t *out, struct err *e) _must_check_;
/* A finite decimal number; C locale whatever the environment says. */
int units_parse_f64(const char *text, double *out, struct err *e) _must_check_;

/* Exact where possible: "64KiB", "1.5GiB", "2300B"; parses back to the same value. */
const char *units_format_size(uint64_t bytes, char *buf, size_t size);
/* Exact: "10s", "1500ms", "7ns"; parses back to the same value. */
const char *units_format_time(uint64_t ns, char *buf, size_t size);
/*
 * For people: four significant digits and a unit by the metric's own unit, e.g. 5.1e8 "bytes/s" ->
 * "486.4 MiB/s", 1234567 "ns" -> "1.235 ms", 1234 "ops/s" -> "1234 /s". NaN -> "-".
 */
const char *units_format_metric(double value, const char *unit, char *buf, size_t size);

/* A unit by a name that others use, such as "KiB/s" or "IOPS". */
struct units_named {
	const char *name, *unit; /* of a result document: "bytes/s" */
	double factor;		 /* from that to this */
};
/* NULL: there is none. */
const struct units_named *units_named_find(const char *name);
/* The i-th of all; NULL behind the last. */
const struct units_named *units_named_at(size_t i);
