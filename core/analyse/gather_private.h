/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files that read documents share. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/analyse/gather.h"
#include "core/util/jscan.h"
#include "core/util/json.h"
#include "core/util/vec.h"

/* Members of an object that are wanted: where to put which. */
struct want {
	const char *key;
	size_t len, offset; /* of a struct jspan */
};
#define WANT(T, member)                                                  \
	{                                                                \
		#member, sizeof(#member) - 1, offsetof(struct T, member) \
	}

struct gather_step {
	struct jspan name, kind, plugin, parallel, status, params, notes, measured, data, metrics;
};

struct gather_trial {
	struct jspan variant, block, status, filesystem, device_settings, canaries;
	VEC(struct gather_step) steps;
};

struct gather_variant {
	const char *id, *values, *text;
	bool known; /* its conditions are */
};

/* Equal steps of one trial. */
struct gather_seen {
	const char *step_id;
};

struct gather {
	struct set *set;
	const char *path;
	struct err *e;
	VEC(struct gather_variant) variants;
	VEC(struct gather_seen) seen;
	struct facts facts;
	uint32_t canary_block; /* the last one whose canaries were taken */
	uint32_t first_block;  /* what the document's own numbers of blocks are counted from */
	bool failed;
};

/* A cursor over a piece; over null where there is none. */
void gather_sub(struct jscan *j, const struct gather *g, struct jspan s);
/* A piece as a value: a new reference, null after g->failed where it is damaged. */
json_t *gather_piece(struct gather *g, struct jspan s);
/* Of a string its text, of another value its JSON. The pool remembers what was made of which text. */
const char *gather_piece_text(struct gather *g, struct jspan s);
/* Of a key, which comes without its quotes. */
const char *gather_key_text(struct gather *g, struct jspan key);
/* Which of the wanted members key is, or NULL. */
const struct want *gather_want(const struct want *wants, size_t n, struct jspan key);
/* What the trial says of the conditions of its variant goes to g->facts. */
void gather_variant_facts(struct gather *g, const char *variant, const struct gather_trial *t);
/* The step that the cursor is at, in pieces. */
void gather_take_step(struct jscan *j, struct gather_step *step);
void gather_put_step(struct gather *g, const struct gather_variant *variant, const struct gather_trial *t,
		     const struct gather_step *step, const char *fs);
