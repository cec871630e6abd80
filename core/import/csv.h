/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records of a CSV: quoted fields with separators, doubled quotes and line breaks in them. */
#pragma once

#include <stddef.h>

#include "core/util/err.h"
#include "core/util/macro.h"

struct csv {
	const char *at; /* what is still to be read */
	char separator;
	unsigned line; /* where at is */
};

struct csv_record {
	char **v;
	size_t n;
	unsigned line; /* where it begins */
};

/* "," or ";" or a tab, whichever the first line has most of outside of quotes. */
char csv_separator(const char *text);
/* 1 and a record to be freed, empty lines passed over; 0 at the end; -EINVAL with the reason. */
int csv_next(struct csv *csv, struct csv_record *record, struct err *e) _must_check_;
void csv_free(struct csv_record *record);
