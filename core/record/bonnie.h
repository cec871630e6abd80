/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The rows of bonnie++ 1.0x, which two decades of mails and spreadsheets quote: name, size of the file, six pairs
 * of rate and CPU, number of files, six pairs. jobs/bonnie.job has the same twelve phases by the same names.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/util/macro.h"
#include "core/util/strbuf.h"

enum {
	BONNIE_PHASES = 12,
	BONNIE_IO_PHASES = 6, /* the first six are of the one large file */
	BONNIE_FIELDS = 27,
	BONNIE_AT_SIZE = 1,
	BONNIE_AT_IO = 2,
	BONNIE_AT_FILES = 14,
	BONNIE_AT_META = 15,
	BONNIE_FILES_UNIT = 1024, /* -n counts in units of so many files */
};

/* Below this bonnie++ prints plus signs instead of a rate. */
#define BONNIE_MIN_S 0.5
#define BONNIE_CENSORED "+++++"
#define BONNIE_CENSORED_CPU "+++"

struct bonnie_phase {
	const char *step;	 /* "write" */
	const char *metric;	 /* "throughput" */
	const char *unit;	 /* of ours */
	const char *source_unit; /* as bonnie++ counts */
	double factor;		 /* from that to ours */
};

extern const struct bonnie_phase bonnie_phases[BONNIE_PHASES];

/* "16:100000:16/64": what the file phases worked on. */
struct bonnie_files {
	double n;	   /* files; NAN: not said */
	double max, min;   /* bytes; NAN: not said */
	double dirs;	   /* NAN: not said */
	const char *links; /* "link" or "symlink": no files; NULL: files */
};

/* "16G", "2016M", "16G:64k". false: it is none. chunk is NAN where it is not said. */
bool bonnie_parse_size(const char *text, double *bytes, double *chunk) _must_check_;
bool bonnie_parse_files(const char *text, struct bonnie_files *f) _must_check_;
void bonnie_format_size(double bytes, double chunk, struct strbuf *out);
void bonnie_format_files(const struct bonnie_files *f, struct strbuf *out);
