/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --format text|json, and JSON as commands print it. */
#pragma once

#include <jansson.h>
#include <stdio.h>

#include "core/cli/args.h"

enum format { FORMAT_TEXT, FORMAT_JSON };

extern const char *const format_names[];

/* Entry of an option table for a structure T with an `int format`. */
#define FORMAT_ARG(T, doc_)                                                                    \
	{                                                                                      \
		"format", "FORMAT", doc_, ARG_CHOICE, offsetof(struct T, format), format_names \
	}

/* An object: one line a member, and one an element where a member is an array. */
void format_json(const json_t *object, FILE *out);
