/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --format text|json. */
#pragma once

#include "core/cli/args.h"

enum format { FORMAT_TEXT, FORMAT_JSON };

extern const char *const format_names[];

/* Entry of an option table for a structure T with an `int format`. */
#define FORMAT_ARG(T, doc_)                                                                    \
	{                                                                                      \
		"format", "FORMAT", doc_, ARG_CHOICE, offsetof(struct T, format), format_names \
	}
