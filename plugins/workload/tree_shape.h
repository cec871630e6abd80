/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tree: the shape of a source tree, from a handful of numbers. Directory 0 is the root, and directory k > 0
 * lies in directory (k - 1) / fanout. How many files a directory has is drawn once; that list is the
 * only one.
 */
#pragma once

#include <stdio.h>
#include <stdlib.h>

#include "files_gate.h"
#include "files_names.h"
#include "files_remove.h"

enum {
	TREE_LEVELS = 24,	/* a tree is not deeper */
	TREE_MAX_DIRS = 1 << 20,
	TREE_INDEX_BITS = 28,	/* of a file's number; the rest says how often it was replaced by ageing */
	TREE_BUFFER = 128 * 1024,
	TREE_NS = 1000000000,
	TREE_ROOM = 1500,	/* for the path of a file in its tree */
};

/* X(KIND, name, doc) */
#define TREE_PHASES(X)                                                                           \
	X(UNPACK, unpack, "Makes one directory, file or symbolic link of the tree, as tar does")  \
	X(STAT, stat_walk, "Asks for the attributes of one entry of a directory")                 \
	X(READ, read_all, "Opens, reads and closes one file, or reads one symbolic link")         \
	X(COPY, copy, "Copies one directory, file or symbolic link")                              \
	X(RENAME, rename, "Writes one file anew under another name and renames it into place")    \
	X(AGE, age, "Removes one file and makes another, of another size, in its place")          \
	X(DELETE, delete, "Removes one entry of the tree")

enum tree_phase {
#define TREE_ENUM(kind, name, doc) TREE_##kind,
	TREE_PHASES(TREE_ENUM)
#undef TREE_ENUM
	TREE_N_PHASES,
	TREE_SYNCFS = TREE_N_PHASES,
	TREE_N_OPS,
};

enum tree_order { TREE_AS_GIVEN, TREE_BY_NAME, TREE_BY_INODE };

struct tree_cfg {
	struct fst_list phases;
	uint64_t min_time;
	int order; /* enum tree_order */
	const char *set;
	bool keep;
	bool sync;
	bool attributes;
	uint64_t directories, files, symlinks;
	uint64_t fanout;
	double spread;
	uint64_t size, size_max;
	double sigma;
	uint64_t age_rounds, age_percent;
};

struct tree_shape {
	const struct tree_cfg *cfg;
	uint64_t seed;
	uint64_t rounds; /* of ageing, that are over */
	uint32_t *first; /* file of each directory, and one past the last at the end */
	struct files_size size;
};

/* Draws how many files each directory has: a few have many, as in real trees. */
static int tree_shape_init(struct tree_shape *s, const struct tree_cfg *cfg, uint64_t seed)
{
	double sum = 0, part = 0;

	s->cfg = cfg;
	s->seed = seed;
	s->size = (struct files_size){ .kind = FILES_LOGNORMAL, .size = cfg->size, .max = cfg->size_max,
				       .sigma = cfg->sigma, .seed = seed };
	s->first = malloc((cfg->directories + 1) * sizeof(*s->first));
	if (!s->first)
		return -ENOMEM;
	for (uint64_t k = 0; k < cfg->directories; k++)
		sum += exp(cfg->spread * files_normal(files_mix(seed + 2 * k), files_mix(seed + 2 * k + 1)));
	for (uint64_t k = 0; k < cfg->directories; k++) {
		s->first[k] = (uint32_t)((double)cfg->files * part / sum);
		part += exp(cfg->spread *
			    files_normal(files_mix(seed + 2 * k), files_mix(seed + 2 * k + 1)));
	}
	s->first[cfg->directories] = (uint32_t)cfg->files;
	return 0;
}

static uint32_t tree_dir_of(const struct tree_shape *s, uint64_t file)
{
	uint32_t low = 0, high = (uint32_t)s->cfg->directories;

	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (s->first[middle] <= file)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static uint32_t tree_depth(const struct tree_cfg *cfg)
{
	uint32_t depth = 0;

	for (uint64_t k = cfg->directories - 1; k; k = (k - 1) / cfg->fanout)
		depth++;
	return depth;
}

/* Path of directory k relative to the tree's root, "." for that; its length. */
static size_t tree_dir_path(const struct tree_shape *s, uint64_t k, char *buf, size_t size)
{
	const uint64_t fanout = s->cfg->fanout;
	uint64_t up[TREE_LEVELS] = { 0 };
	size_t len = 0;
	int n = 0;

	for (; k && n < TREE_LEVELS; k = (k - 1) / fanout)
		up[n++] = (k - 1) % fanout;
	len = (size_t)snprintf(buf, size, ".");
	while (n-- > 0)
		len += (size_t)snprintf(buf + len, size - len, "/dir%llu", (unsigned long long)up[n]);
	return len;
}

/* Rounds of ageing that replaced the file, of those that are over: its number says which one it is. */
static uint64_t tree_file_number(const struct tree_shape *s, uint64_t file)
{
	uint64_t generation = 0;

	for (uint64_t r = 0; r < s->rounds; r++)
		generation += files_mix(s->seed ^ (r << 40 | file)) % 100 < s->cfg->age_percent;
	return generation << TREE_INDEX_BITS | file;
}

/* Names of differing length, as people give them. */
static void tree_put_name(const struct tree_shape *s, uint64_t number, char *buf)
{
	struct files_namer n;

	files_namer_init(&n, FILES_RANDOM, 12 + files_mix(s->seed ^ number) % 10, s->seed);
	files_name(&n, buf, 'f', number);
}
