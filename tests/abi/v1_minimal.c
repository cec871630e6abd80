/* SPDX-License-Identifier: MIT */
/*
 * A workload as it was built when ABI 1 was released: against plugin_v1.h, a copy of the
 * header of then. It must load and work with every later fstrial that knows ABI 1.
 */
#include "plugin_v1.h"

#include <errno.h>

enum v1_minimal_colour {
	V1_RED = 3,
	V1_GREEN = 5,
};

struct v1_minimal_cfg {
	bool flag;
	int64_t integer;
	uint64_t n;
	double factor;
	const char *text;
	const char *path;
	int colour;
	uint64_t length;
	uint64_t pause;
	struct fst_list words;
};

struct v1_minimal_worker {
	uint64_t done;
};

static const struct fst_choice v1_minimal_colours[] = {
	{ "red", V1_RED, "As a rose." },
	{ "green", V1_GREEN, "As grass." },
};

#define V1_AT(field) FST_AT(struct v1_minimal_cfg, field)

static const struct fst_param v1_minimal_params[] = {
	{ .name = "flag", .type = FST_BOOL, V1_AT(flag), .def = "true", .doc = "A truth value." },
	{ .name = "integer", .type = FST_I64, V1_AT(integer), .def = "-7", .doc = "An integer." },
	{ .name = "n",
	  .alias = "count",
	  .type = FST_U64,
	  V1_AT(n),
	  .def = "10",
	  .min = "1",
	  .max = "1000000",
	  .unit = "operations",
	  .doc = "Operations of each worker." },
	{ .name = "factor", .type = FST_F64, V1_AT(factor), .def = "1.5", .doc = "A factor." },
	{ .name = "text", .type = FST_STR, V1_AT(text), .def = "hello", .doc = "A text." },
	{ .name = "path", .type = FST_PATH, V1_AT(path), .doc = "A path." },
	{ .name = "colour",
	  .type = FST_ENUM,
	  V1_AT(colour),
	  .def = "green",
	  FST_CHOICES(v1_minimal_colours),
	  .doc = "A choice." },
	{ .name = "length",
	  .type = FST_SIZE,
	  V1_AT(length),
	  .def = "4KiB",
	  .max = "1MiB",
	  .doc = "A size." },
	{ .name = "pause", .type = FST_TIME, V1_AT(pause), .def = "10ms", .doc = "A time." },
	{ .name = "words", .type = FST_LIST, V1_AT(words), .doc = "Some words." },
};

static const struct fst_metric v1_minimal_metrics[] = {
	{ .name = "operations",
	  .unit = "count",
	  .better = FST_HIGHER,
	  .agg = FST_SUM,
	  .flags = FST_PRIMARY,
	  .doc = "Operations of all workers." },
	{ .name = "defaults",
	  .unit = "ratio",
	  .doc = "1 when the parameters have their defaults." },
};

static const struct fst_op_kind v1_minimal_ops[] = {
	{ .name = "first", .doc = "The first kind." },
	{ .name = "second", .doc = "The second kind." },
};

static const struct fst_tool v1_minimal_tools[] = {
	{ "true", "--version", "coreutils" },
};

static int v1_minimal_check(struct fst_ctx *ctx)
{
	const struct v1_minimal_cfg *cfg = ctx->cfg;

	if (cfg->n == 13)
		return fst_error(ctx, EINVAL, "n = %u brings bad luck", 13u);
	return 0;
}

static int v1_minimal_estimate(struct fst_ctx *ctx, struct fst_estimate *est)
{
	const struct v1_minimal_cfg *cfg = ctx->cfg;

	est->bytes_written = cfg->n * cfg->length * ctx->nworkers;
	return 0;
}

static int v1_minimal_prepare(struct fst_ctx *ctx)
{
	const struct v1_minimal_cfg *cfg = ctx->cfg;
	bool good = cfg->flag && cfg->integer == -7 && cfg->factor == 1.5 && cfg->text &&
		    cfg->text[0] == 'h' && !cfg->path && cfg->colour == V1_GREEN &&
		    cfg->length == 4096 && cfg->pause == 10000000 && cfg->words.n == 0;

	if (!fst_is_set(ctx, "n"))
		fst_note(ctx, "n", "default");
	return fst_set_metric(ctx, "defaults", good);
}

static int v1_minimal_run(struct fst_worker *w)
{
	const struct v1_minimal_cfg *cfg = w->ctx->cfg;
	struct v1_minimal_worker *state = w->state;

	while (state->done < cfg->n && !fst_stopping(w)) {
		uint64_t start = fst_now(w->ctx);

		(void)fst_random(w);
		fst_op(w, state->done % 2, start, cfg->length);
		state->done++;
	}
	return fst_worker_metric(w, "operations", (double)state->done);
}

static int v1_minimal_verify(struct fst_ctx *ctx)
{
	if (!fst_find_tool(ctx, "true"))
		fst_warning(ctx, "no program %s", "true");
	return 0;
}

FSTRIAL_PLUGIN(.kind = FST_WORKLOAD, .name = "v1_minimal", .version = "1",
	       .summary = "Of the first ABI",
	       .description = "For tests: built against the header of the first release.",
	       FST_PARAMS(v1_minimal_params), FST_METRICS(v1_minimal_metrics),
	       FST_OPS(v1_minimal_ops), FST_TOOLS(v1_minimal_tools),
	       .cfg_size = sizeof(struct v1_minimal_cfg),
	       .worker_size = sizeof(struct v1_minimal_worker), .check = v1_minimal_check,
	       .estimate = v1_minimal_estimate, .prepare = v1_minimal_prepare,
	       .run = v1_minimal_run, .verify = v1_minimal_verify);
