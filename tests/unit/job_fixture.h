/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A registry of small plugins, and jobs given as text, for the tests of core/job. */
#pragma once

#include "core/job/job.h"
#include "core/plugin/registry.h"

/*
 * Plugins: setup mkfs, tune (every type); workload sequential (data), ops (run, at most 4 workers),
 * clash (a parameter called bs); sequential has a metric of each unit, ops the latencies link and
 * unlink; engine psync (synchronous), ring (queues, at most 64), deep (no
 * limit).
 */
const struct registry *fixture_registry(void);

/*
 * Some files in a directory of their own, a job loaded from one of them, and what was said about
 * it.
 */
struct fixture {
	char *dir;
	struct job job;
	struct diag d;
	int ret;
	char *said; /* of diag_print, without the directory */
	const char *set[8];
	struct job_options opt;
};

void fixture_open(struct fixture *f);
/* Writes a file into the directory. */
void fixture_write(struct fixture *f, const char *name, const char *text);
/* Loads t.job with that text; NULL: as written before. What was loaded before is released. */
void fixture_load(struct fixture *f, const char *text);
void fixture_close(struct fixture *f);
/*
 * Opens, loads, compares what is said with the expected text, closes. Shows both when they differ.
 */
bool fixture_says(const char *text, const char *expected);
/* Likewise, with `target` and steps = ( ... ) put around the text of the steps. */
bool fixture_steps_say(const char *steps, const char *expected);
/* All lines of d, in order; caller frees. */
char *fixture_diag_text(struct diag *d);
/* Compares and shows both texts when they differ. */
bool fixture_same(const char *got, const char *expected);

struct mkfs_cfg {
	const char *fs;
	uint64_t agcount, agsize;
};

struct tune_cfg {
	bool flag;
	int64_t signed_n;
	uint64_t n;
	double ratio;
	const char *text, *path;
	int choice;
	uint64_t size, time;
	struct fst_list list;
};

struct sequential_cfg {
	int rw;
};
