/* SPDX-License-Identifier: GPL-3.0-or-later */
/* metadata: what the workers of a step share, and what each has for itself. */
#pragma once

#include <stdlib.h>

#include "files_data.h"
#include "files_gate.h"
#include "files_names.h"
#include "files_remove.h"
#include "metadata_cfg.h"

enum {
	METADATA_MAX_PHASES = 64,
	METADATA_SECONDS = 256, /* of a phase, whose rates are kept apart */
	METADATA_BUFFER = 256 * 1024,
	METADATA_NS = 1000000000,
};

/* What is there of one sort: numbers lo to hi-1. A number is never given twice. */
struct metadata_range {
	uint64_t lo, hi;
};

/* What belongs to one worker. Only the one that has it in a phase changes it. */
struct metadata_set {
	struct metadata_range files; /* under names that begin with `first` */
	struct metadata_range links, symlinks, subdirs;
	uint64_t first;
	uint64_t pad[7]; /* whole cache lines */
};

/* What all phases of one kind came to. */
struct metadata_result {
	uint64_t ops;
	uint64_t window_ns;
	uint64_t cpu_ns;
	uint64_t entries;
	bool done;
};

/* What all workers of the phase at hand came to so far. */
struct metadata_span {
	uint64_t ops[METADATA_N_PHASES];
	uint64_t all, bent;
	uint64_t begin, end;
	uint64_t cpu_ns;
	uint64_t entries;
	double slowest, fastest;
	uint64_t second[METADATA_SECONDS];
	bool early; /* all was gone before the time was over */
	bool skip;  /* the file system lacks it */
};

struct metadata_state {
	struct fst_ctx *ctx;
	uint8_t phase[METADATA_MAX_PHASES];
	uint32_t n_phases;
	uint32_t at; /* the phase at hand */
	struct files_gate gate;
	struct files_namer namer;
	struct files_size size;
	uint64_t seed;
	uint64_t per_dir; /* files that fill one */
	struct metadata_set *set;
	int *dir; /* dirs, of each worker or of all */
	uint64_t n_dirs;
	int basefd;
	bool made;  /* the base directory is there and ours */
	bool found; /* with files, of an earlier step */
	bool populate;	   /* the first phase needs files that nothing makes */
	bool xattr_lacks;
	bool failed; /* a worker did: the others need not go on */
	bool quit;   /* there is no next phase */
	uint64_t begin_ns, ramp_ns, deadline_ns; /* of the phase at hand */
	struct metadata_span span;
	struct metadata_result result[METADATA_N_PHASES];
	double fairness; /* 0: not known */
	uint64_t dentries, inodes;
	char brief[1024]; /* phases that were too short */
	char base[FILES_PATH];
};

struct metadata_worker {
	struct fst_worker *w;
	struct metadata_state *s;
	const struct metadata_cfg *cfg;
	struct metadata_set *set; /* the files of the phase at hand */
	uint64_t owner;		  /* whose they are */
	struct files_data data;
	int dirfd;
	uint64_t dirno;
	uint64_t ramp_ns;	/* end of the ramp */
	uint64_t now;
	uint64_t count;		/* operations of the phase, ramp included */
	uint64_t bent;		/* of a mix, those that could not be what was drawn */
	uint64_t ops[METADATA_N_PHASES];
	uint64_t entries;
	uint64_t second_end, seconds;
	uint64_t second[METADATA_SECONDS];
	bool early;
	char name[FILES_NAME_MAX + 1];
	char other[FILES_NAME_MAX + 1];
	char path[FILES_PATH];
};

/* Directory number j, below the base directory. */
static inline void metadata_dir_path(const struct metadata_cfg *cfg, const char *base, uint64_t j,
				     char *buf, size_t size)
{
	uint64_t leaf = cfg->shared ? j : j % cfg->dirs, at = leaf;
	int n = snprintf(buf, size, "%s", base);

	if (!cfg->shared)
		n += snprintf(buf + n, size - (size_t)n, "/w%llu", (unsigned long long)(j / cfg->dirs));
	for (uint64_t d = 0; d < cfg->depth; d++, at /= cfg->width)
		n += snprintf(buf + n, size - (size_t)n, "/t%llu",
			      (unsigned long long)(at % cfg->width));
	snprintf(buf + n, size - (size_t)n, "/d%llu", (unsigned long long)leaf);
}

static inline uint64_t metadata_dir_of(const struct metadata_worker *m, uint64_t i)
{
	const struct metadata_cfg *cfg = m->cfg;
	uint64_t d = cfg->spread == METADATA_ROUND ? i : i / m->s->per_dir;

	if (cfg->dirs && d >= cfg->dirs)
		d %= cfg->dirs;
	return cfg->shared ? d : m->owner * cfg->dirs + d;
}

/* Puts file i's name into buf and sets the directory that it is in. */
static inline void metadata_name(struct metadata_worker *m, char *buf, char first, uint64_t i)
{
	m->dirno = metadata_dir_of(m, i);
	m->dirfd = m->s->dir[m->dirno];
	files_name(&m->s->namer, buf, first, i * m->w->ctx->nworkers + m->owner);
}

static inline const char *metadata_path(struct metadata_worker *m, const char *name)
{
	size_t n;

	metadata_dir_path(m->cfg, m->s->base, m->dirno, m->path, sizeof(m->path));
	n = strlen(m->path);
	snprintf(m->path + n, sizeof(m->path) - n, "/%s", name);
	return m->path;
}

/* Why an operation on that name failed, and how far this worker had come. */
static inline int metadata_fail(struct metadata_worker *m, const char *what, const char *name)
{
	int err = errno;
	char why[128];

	files_why(m->s->base, err, why, sizeof(why));
	return fst_error(m->w->ctx, err, "%s %s, after %llu of this worker's operations%s", what,
			 metadata_path(m, name), (unsigned long long)m->count, why);
}
