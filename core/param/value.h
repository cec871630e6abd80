/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A value as a job file gives it, with the place it stands at. No libconfig type leaves
 * core/job/source.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/util/macro.h"

enum value_type { VALUE_BOOL, VALUE_INT, VALUE_FLOAT, VALUE_STR, VALUE_LIST, VALUE_GROUP };

struct value {
	enum value_type type;
	bool bad;	  /* what is wrong with it was said already: it takes part in nothing */
	unsigned line;	  /* 0: not from a file (--set, a known name) */
	const char *file; /* owned by the job; NULL with line 0 */
	union {
		bool b;
		int64_t i;
		double f;
		char *s;
		struct {
			size_t n;
			struct value **v;
			char **names; /* VALUE_GROUP only */
		} l;
	} u;
};

struct value *value_new(enum value_type type, const char *file, unsigned line);
struct value *value_new_str(const char *s, const char *file, unsigned line);
struct value *value_copy(const struct value *v);
void value_free(struct value *v);
/* Appends to a list (name NULL) or group; takes item. */
void value_add(struct value *v, const char *name, struct value *item);
/* Member of a group, or NULL. */
struct value *value_get(const struct value *group, const char *name);
/* "integer", "text", ... for messages. */
const char *value_type_name(enum value_type type);
/* "an integer", "a text", ... */
const char *value_type_phrase(enum value_type type);
/*
 * A scalar as text ("4", "true", "1.5", the string itself); caller frees; NULL for list and group.
 */
char *value_text(const struct value *v);
/* What it is called: a scalar's text, the `name` of a group; caller frees; NULL when it has none. */
char *value_label(const struct value *v);
/*
 * A text of the command line as the scalar it looks like: true/false, integer, decimal, else text.
 */
struct value *value_from_text(const char *text);
