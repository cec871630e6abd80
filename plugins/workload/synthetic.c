/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A workload that measures nothing: it makes up a number whose truth is known. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include <fstrial/plugin.h>

/* fstrial-libs: -lm */

/* What a kernel would do: no parameter, as a comparison is of equal parameters. */
#define SYNTHETIC_LOSS "FSTRIAL_SYNTHETIC_LOSS"

struct synthetic_cfg {
	double mean, cv, second_share, second_loss;
	bool affected;
};

static const struct fst_param synthetic_params[] = {
	{ .name = "mean", .type = FST_F64, FST_AT(struct synthetic_cfg, mean), .def = "1000", .min = "0.001",
	  .unit = "ops/s", .doc = "The true value before any loss." },
	{ .name = "affected", .type = FST_BOOL, FST_AT(struct synthetic_cfg, affected), .def = "true",
	  .doc = "Whether the loss that the environment variable " SYNTHETIC_LOSS " gives is in the value." },
	{ .name = "cv", .type = FST_F64, FST_AT(struct synthetic_cfg, cv), .def = "0.02", .min = "0", .max = "2",
	  .doc = "Standard deviation of the value's logarithm from trial to trial." },
	{ .name = "second_share", .type = FST_F64, FST_AT(struct synthetic_cfg, second_share), .def = "0", .min = "0",
	  .max = "1", .doc = "Share of trials that are in a second, slower mode." },
	{ .name = "second_loss", .type = FST_F64, FST_AT(struct synthetic_cfg, second_loss), .def = "0.08", .min = "0",
	  .max = "0.99", .doc = "What the second mode loses." },
};

static const struct fst_metric synthetic_metrics[] = {
	{ .name = "rate", .unit = "ops/s", .better = FST_HIGHER, .flags = FST_PRIMARY,
	  .doc = "The made-up value: lognormal about the truth." },
	{ .name = "latency", .unit = "ns", .better = FST_LOWER, .doc = "Its reciprocal, as the time of one operation." },
};

/* Uniform in (0, 1). */
static double synthetic_uniform(struct fst_worker *w)
{
	return ((double)(fst_random(w) >> 11) + 0.5) / 9007199254740992.0;
}

/* Share that is lost, 0.1 for 10 percent; negative is a gain. */
static int synthetic_loss(struct fst_worker *w, double *loss)
{
	const struct synthetic_cfg *cfg = w->ctx->cfg;
	const char *text = getenv(SYNTHETIC_LOSS);
	char *end;

	*loss = 0;
	if (!cfg->affected || !text)
		return 0;
	*loss = strtod(text, &end);
	if (end == text || *end || !(*loss < 1) || !(*loss > -10))
		return fst_error(w->ctx, 0, SYNTHETIC_LOSS " is \"%s\", not a number below 1", text);
	return 0;
}

static int synthetic_run(struct fst_worker *w)
{
	const struct synthetic_cfg *cfg = w->ctx->cfg;
	double u = synthetic_uniform(w), v = synthetic_uniform(w), mode = synthetic_uniform(w);
	double g = sqrt(-2 * log(u)) * cos(2 * 3.14159265358979323846 * v);
	double loss, rate;
	int r = synthetic_loss(w, &loss);

	if (r < 0)
		return r;
	rate = cfg->mean * (1 - loss) * exp(cfg->cv * g);
	if (mode < cfg->second_share)
		rate *= 1 - cfg->second_loss;
	r = fst_worker_metric(w, "rate", rate);
	return r < 0 ? r : fst_worker_metric(w, "latency", 1e9 / rate);
}

FSTRIAL_PLUGIN(.kind = FST_WORKLOAD, .name = "synthetic", .version = "1",
	       .summary = "makes up numbers whose truth is known, to test jobs and verdicts without a disk",
	       .description =
		       "Touches no file. Each trial's value is drawn from a lognormal distribution about the mean, by "
		       "the trial's own seed: the same session seed gives the same values. The environment variable "
		       SYNTHETIC_LOSS " (0.1: 10 percent are lost) stands for a change of the machine.\n"
		       "For trying out how many repeats find which loss, and for testing scripts around `compare`.",
	       FST_PARAMS(synthetic_params), FST_METRICS(synthetic_metrics), .cfg_size = sizeof(struct synthetic_cfg),
	       .max_workers = 1, .run = synthetic_run);
