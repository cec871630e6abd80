/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tree: what the workers of a step share, and what each has for itself. */
#pragma once

#include <errno.h>
#include <string.h>

#include "files_data.h"
#include "tree_shape.h"

enum { TREE_MAX_PHASES = 64 };

/* One entry of a directory. */
struct tree_entry {
	uint64_t ino;
	unsigned char type;
	char name[39]; /* longer than any of the tree's */
};

struct tree_result {
	uint64_t ops, bytes;
	uint64_t window_ns;
};

struct tree_state {
	struct fst_ctx *ctx;
	struct files_gate gate;
	struct tree_shape shape;
	uint8_t phase[TREE_MAX_PHASES];
	uint32_t n_phases, at;
	bool made, found, populate, failed, quit;
	bool copied; /* there is a copy already */
	int basefd;
	uint64_t begin, end; /* of the phase at hand */
	struct tree_result result[TREE_N_PHASES];
	char brief[512]; /* phases that were too short */
	char base[FILES_PATH];
};

struct tree_worker {
	struct fst_worker *w;
	struct tree_state *s;
	int root;	/* the worker's directory, which holds src and copy */
	bool timed;
	uint32_t phase;
	uint64_t now;
	uint64_t ops, bytes;
	struct files_data data; /* rooms: to read into, and one for each level of directories */
	struct tree_entry *list; /* NULL: directories are gone through as they are given */
	uint64_t n_list;
	char path[TREE_ROOM], other[TREE_ROOM + 16];
};

static bool tree_stop(const struct tree_worker *t)
{
	return fst_stopping(t->w) || __atomic_load_n(&t->s->failed, __ATOMIC_RELAXED);
}

static void tree_done(struct tree_worker *t, uint64_t bytes)
{
	t->ops++;
	t->bytes += bytes;
	if (t->timed)
		t->now = fst_op(t->w, t->phase, t->now, bytes);
}

static int tree_fail(struct tree_worker *t, const char *what, const char *where, const char *name)
{
	int err = errno;
	char why[128];

	files_why(t->s->base, err, why, sizeof(why));
	return fst_error(t->w->ctx, err, "%s %s/w%u/%s%s%s, after %llu entries%s", what, t->s->base,
			 t->w->index, where, *name ? "/" : "", name, (unsigned long long)t->ops, why);
}
