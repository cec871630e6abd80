/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Options of a command, from a const table that help and completion are made of too. Options and
 * operands come in any order, "--name value" or "--name=value"; "--" ends the options.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/util/err.h"
#include "core/util/macro.h"
#include "core/util/strbuf.h"

enum arg_type {
	ARG_FLAG = 1, /* bool */
	ARG_TEXT,     /* const char *; of several the last */
	ARG_LIST,     /* struct arg_list; may be given several times */
	ARG_U32,      /* uint32_t, at least 1 */
	ARG_U64,      /* uint64_t, at least 1 */
	ARG_CHOICE,   /* int: place in choices */
};

struct arg_list {
	const char **v;
	size_t n;
};

struct arg {
	const char *name;  /* without the dashes */
	const char *value; /* "DIR", for help; NULL for a flag */
	const char *doc;   /* one sentence */
	enum arg_type type;
	size_t offset;		    /* offsetof() in the command's structure */
	const char *const *choices; /* NULL-terminated */
};

struct arg_table {
	const struct arg *v;
	size_t n;
};

#define ARG_TABLE(a)               \
	{                          \
		(a), ARRAY_SIZE(a) \
	}

/*
 * Fills into, zeroed by the caller, and operands from argv[1] on; the texts stay argv's. 0, or
 * -EINVAL with what is wrong in e. Lists are to be freed with args_free_list() in either case.
 */
int args_parse(const struct arg_table *table, int argc, char **argv, void *into,
	       struct arg_list *operands, struct err *e) _must_check_;
void args_free_list(struct arg_list *list);
/* Adds the table as it is shown in help. */
void args_help(const struct arg_table *table, size_t width, struct strbuf *out);
