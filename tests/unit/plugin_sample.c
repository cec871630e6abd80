/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A sound plugin in memory. */
#include "plugin_sample.h"

#include <string.h>

int sample_ctx(struct fst_ctx *ctx)
{
	(void)ctx;
	return 0;
}

int sample_estimate(struct fst_ctx *ctx, struct fst_estimate *est)
{
	(void)ctx;
	(void)est;
	return 0;
}

int sample_run(struct fst_worker *w)
{
	(void)w;
	return 0;
}

int sample_io(struct fst_worker *w, struct fst_io *io)
{
	(void)w;
	(void)io;
	return 0;
}

static int sample_queue(struct fst_engine *e, struct fst_io *io)
{
	(void)e;
	(void)io;
	return 1;
}

static int sample_submit(struct fst_engine *e)
{
	(void)e;
	return 0;
}

static int sample_reap(struct fst_engine *e, uint32_t min, struct fst_io **done, uint32_t max)
{
	(void)e;
	(void)min;
	(void)done;
	(void)max;
	return 0;
}

static void sample_tables(struct sample *s)
{
	s->choices[0] = (struct fst_choice){ "red", 1, "As a rose." };
	s->choices[1] = (struct fst_choice){ "green", 2, "As grass." };
	s->params[0].p = (struct fst_param){ .name = "count",
					     .type = FST_U64,
					     .offset = offsetof(struct sample_cfg, count),
					     .def = "3",
					     .doc = "How many." };
	s->params[1].p = (struct fst_param){ .name = "colour",
					     .type = FST_ENUM,
					     .offset = offsetof(struct sample_cfg, colour),
					     .def = "red",
					     FST_CHOICES(s->choices),
					     .doc = "Which colour." };
	s->metrics[0].m = (struct fst_metric){ .name = "rate",
					       .unit = "ops/s",
					       .better = FST_HIGHER,
					       .flags = FST_PRIMARY,
					       .doc = "How fast." };
	s->metrics[1].m = (struct fst_metric){ .name = "space",
					       .unit = "bytes",
					       .better = FST_LOWER,
					       .agg = FST_MIN,
					       .doc = "How large." };
	s->ops[0] = (struct fst_op_kind){ .name = "ping", .doc = "There." };
	s->ops[1] = (struct fst_op_kind){ .name = "pong", .doc = "And back." };
	s->tools[0] = (struct fst_tool){ "mkfs.xfs", "-V", "xfsprogs" };
	s->tools[1] = (struct fst_tool){ "true", NULL, "coreutils" };
}

/* A workload with `run` and one table of each kind. */
void sample_init(struct sample *s)
{
	memset(s, 0, sizeof(*s));
	sample_tables(s);
	s->d.p = (struct fstrial_plugin){
		.magic = FST_MAGIC,
		.abi = FST_ABI,
		.struct_size = sizeof(struct fstrial_plugin),
		.kind = FST_WORKLOAD,
		.name = "sample",
		.version = "1",
		.summary = "A sample",
		.description = "Of a plugin.",
		.params = &s->params[0].p,
		.n_params = 2,
		.param_size = sizeof(s->params[0]),
		.metrics = &s->metrics[0].m,
		.n_metrics = 2,
		.metric_size = sizeof(s->metrics[0]),
		FST_OPS(s->ops),
		FST_TOOLS(s->tools),
		.cfg_size = sizeof(struct sample_cfg),
		.run = sample_run,
	};
}

void sample_make_setup(struct sample *s)
{
	s->d.p.kind = FST_SETUP;
	s->d.p.run = NULL;
	s->d.p.n_ops = 0;
	s->d.p.apply = sample_ctx;
}

void sample_make_engine(struct sample *s)
{
	s->d.p.kind = FST_ENGINE;
	s->d.p.run = NULL;
	s->d.p.n_ops = 0;
	s->d.p.engine = &s->engine.ops;
	s->engine.ops = (struct fst_engine_ops){
		.struct_size = sizeof(struct fst_engine_ops),
		.queue = sample_queue,
		.submit = sample_submit,
		.reap = sample_reap,
	};
}
