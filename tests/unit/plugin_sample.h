/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A sound plugin in memory, with tables of each kind, for tests to spoil. */
#pragma once

#include <fstrial/plugin.h>

#include "core/plugin/registry.h"

/* More than we know of everything, as a newer header might have it. */
struct sample_metric {
	struct fst_metric m;
	uint64_t more;
};

struct sample_param {
	struct fst_param p;
	uint64_t more;
};

struct sample_cfg {
	uint64_t count;
	int colour;
};

/* A sound plugin and its tables, to be spoilt. */
struct sample {
	struct {
		struct fstrial_plugin p;
		uint64_t more[2];
	} d;
	struct sample_param params[2];
	struct fst_choice choices[2];
	struct sample_metric metrics[2];
	struct fst_op_kind ops[2];
	struct fst_tool tools[2];
	struct {
		struct fst_engine_ops ops;
		uint64_t more;
	} engine;
	char text[256]; /* an expectation with sizes in it */
};

/* A workload with `run` and one table of each kind; the file's name would be sample.so. */
void sample_init(struct sample *s);
/* The same as a setup, or as an engine that is asynchronous. */
void sample_make_setup(struct sample *s);
void sample_make_engine(struct sample *s);

/* Callbacks that do nothing. */
int sample_ctx(struct fst_ctx *ctx);
int sample_estimate(struct fst_ctx *ctx, struct fst_estimate *est);
int sample_run(struct fst_worker *w);
int sample_io(struct fst_worker *w, struct fst_io *io);
