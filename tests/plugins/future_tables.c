/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads: every table's elements are longer than ours, with nothing in what is new. */
#include "common.h"

struct future_choice {
	struct fst_choice known;
	uint64_t more;
};

struct future_param {
	struct fst_param known;
	uint64_t more[2];
};

struct future_metric {
	struct fst_metric known;
	uint64_t more;
};

struct future_op {
	struct fst_op_kind known;
	uint64_t more;
};

struct future_tool {
	struct fst_tool known;
	uint64_t more[3];
};

struct future_tables_cfg {
	int colour;
	uint64_t second;
};

static const struct future_choice future_tables_colours[] = {
	{ .known = { "red", 1, "As a rose." } },
	{ .known = { "green", 2, "As grass." } },
};

static const struct future_param future_tables_params[] = {
	{ .known = { .name = "colour",
		     .type = FST_ENUM,
		     FST_AT(struct future_tables_cfg, colour),
		     .def = "green",
		     .choices = &future_tables_colours[0].known,
		     .n_choices = 2,
		     .choice_size = sizeof(future_tables_colours[0]),
		     .doc = "Which colour." } },
	{ .known = { .name = "second",
		     .type = FST_U64,
		     FST_AT(struct future_tables_cfg, second),
		     .def = "7",
		     .doc = "Behind a longer element." } },
};

static const struct future_metric future_tables_metrics[] = {
	{ .known = { .name = "first", .unit = "count", .doc = "The first." } },
	{ .known = { .name = "second",
		     .unit = "ratio",
		     .better = FST_LOWER,
		     .doc = "The second." } },
};

static const struct future_op future_tables_ops[] = {
	{ .known = { .name = "ping", .doc = "There." } },
	{ .known = { .name = "pong", .doc = "And back." } },
};

static const struct future_tool future_tables_tools[] = {
	{ .known = { "true", NULL, "coreutils" } },
	{ .known = { "false", "--version", "coreutils" } },
};

FSTRIAL_PLUGIN(.kind = FST_WORKLOAD, .name = "future_tables", COMMON_TEXTS,
	       .params = &future_tables_params[0].known, .n_params = 2,
	       .param_size = sizeof(future_tables_params[0]),
	       .metrics = &future_tables_metrics[0].known, .n_metrics = 2,
	       .metric_size = sizeof(future_tables_metrics[0]), .ops = &future_tables_ops[0].known,
	       .n_ops = 2, .op_size = sizeof(future_tables_ops[0]),
	       .tools = &future_tables_tools[0].known, .n_tools = 2,
	       .tool_size = sizeof(future_tables_tools[0]),
	       .cfg_size = sizeof(struct future_tables_cfg), .run = common_run);
