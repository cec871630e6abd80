/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is wrong between the core's parameters of a step. */
#include "core/job/step_check.h"

#include "core/io/cpus.h"
#include "core/job/step_device.h"
#include "core/job/step_io.h"
#include "core/plugin/element.h"
#include "core/plugin/registry.h"
#include "core/util/str.h"
#include "core/util/strbuf.h"
#include "core/util/units.h"

static void check_engines_that_queue(const struct registry *reg, struct strbuf *sb)
{
	for (size_t i = 0; i < reg->n; i++) {
		struct fst_engine_ops ops;

		if (reg->v[i]->desc.kind != FST_ENGINE || !reg->v[i]->desc.engine)
			continue;
		element_engine(reg->v[i]->desc.engine, &ops);
		if (!(ops.flags & FST_ENGINE_SYNC))
			strbuf_addf(sb, "%s%s", sb->len ? ", " : "", reg->v[i]->desc.name);
	}
	if (!sb->len)
		strbuf_addstr(sb, "none is installed");
}

static void check_depth(struct step_work *w)
{
	const struct plugin *engine = w->out->engine;
	unsigned long long depth = w->out->io.iodepth;
	_cleanup_strbuf_ struct strbuf sb = STRBUF_INIT;
	struct fst_engine_ops ops;

	if (!engine->desc.engine)
		return;
	element_engine(engine->desc.engine, &ops);
	if ((ops.flags & FST_ENGINE_SYNC) && depth > 1) {
		check_engines_that_queue(w->job->registry, &sb);
		step_fail(w, "iodepth",
			  "iodepth = %llu: engine %s is synchronous and does one I/O at a time; "
			  "engines that queue: %s",
			  depth, engine->desc.name, strbuf_str(&sb));
	} else if (ops.max_depth && depth > ops.max_depth) {
		step_fail(w, "iodepth", "iodepth = %llu: engine %s takes at most %u I/Os at a time",
			  depth, engine->desc.name, ops.max_depth);
	}
}

/* How the queue is filled and emptied, all within the depth. */
static void check_batches(struct step_work *w)
{
	const struct io_params *io = &w->out->io;
	const struct {
		const char *name;
		uint64_t value;
	} all[] = {
		{ "iodepth_batch", io->iodepth_batch },
		{ "iodepth_batch_complete_min", io->iodepth_batch_complete_min },
		{ "iodepth_batch_complete_max", io->iodepth_batch_complete_max },
		{ "iodepth_low", io->iodepth_low },
	};

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		if (all[i].value > io->iodepth && !step_is_bad(w, all[i].name))
			step_fail(w, all[i].name, "%s = %llu: more than iodepth = %llu",
				  all[i].name, (unsigned long long)all[i].value,
				  (unsigned long long)io->iodepth);
	if (io->iodepth_batch_complete_max &&
	    io->iodepth_batch_complete_min > io->iodepth_batch_complete_max)
		step_fail(w, "iodepth_batch_complete_min",
			  "iodepth_batch_complete_min = %llu: more than "
			  "iodepth_batch_complete_max = %llu",
			  (unsigned long long)io->iodepth_batch_complete_min,
			  (unsigned long long)io->iodepth_batch_complete_max);
}

static void check_sizes(struct step_work *w)
{
	const struct io_params *io = &w->out->io;
	const char *what = io->n_shares ? "bssplit" : "bs";
	uint64_t least, most;
	char size[64], bs[64];

	io_block_sizes(io, &least, &most);

	units_format_size(io->size, size, sizeof(size));
	units_format_size(most, bs, sizeof(bs));
	if (io->size < most)
		step_fail(w, "size", "size = \"%s\" is smaller than one I/O of %s = \"%s\"", size,
			  what, bs);
	else if (io->size / io->nrfiles < most)
		step_fail(w, "nrfiles",
			  "nrfiles = %llu: each file gets less of size = \"%s\" than one I/O of "
			  "%s = \"%s\"",
			  (unsigned long long)io->nrfiles, size, what, bs);
}

static void check_cpus(struct step_work *w)
{
	const char *cpus = w->out->opt.cpus_allowed;
	struct err e = { 0 };
	cpu_set_t set;

	if (cpus && cpus_parse(cpus, &set, &e) < 0)
		step_fail(w, "cpus_allowed", "cpus_allowed = \"%s\" %s", cpus, e.text);
}

static bool check_mounts(const struct job *job, size_t from, size_t to, uint32_t variant)
{
	for (size_t i = from; i < to; i++) {
		const struct plugin *p = job->steps[i].plugin;

		if (p && (p->desc.flags & FST_PROVIDES_DIR) && job_step_active(job, i, variant))
			return true;
	}
	return false;
}

/*
 * Is there a mount of the trial's own that can be undone and made again? Of a directory it is skipped like the mkfs
 * before it, and the workload says so.
 */
static void check_cold(struct step_work *w)
{
	const struct job *job = w->job;
	const char *why;

	if (!w->out->opt.cold)
		return;
	if (check_mounts(job, job->n_once, (size_t)(w->def - job->steps), w->variant))
		return;
	if (job->target.kind == TARGET_DIRECTORY)
		why = "the target is a directory, which nobody unmounts";
	else if (check_mounts(job, 0, job->n_once, w->variant))
		why = "the mount stands in `once` and stays for all trials";
	else
		why = "no mount step comes before it";
	step_fail(w, "cold", "cold = true: %s; a drop_caches step empties the page cache, too", why);
}

void step_check(struct step_work *w)
{
	const struct step *s = w->out;
	uint32_t most = s->plugin->desc.max_workers;

	if (w->def->kind == FST_WORKLOAD && most && s->opt.numjobs > most)
		step_fail(w, "numjobs", "numjobs = %llu: workload %s takes at most %u",
			  (unsigned long long)s->opt.numjobs, s->plugin->desc.name, most);
	check_cpus(w);
	check_cold(w);
	if (!plugin_is_data_workload(s->plugin))
		return;
	step_check_io(w);
	step_check_device(w);
	if (s->engine && !step_is_bad(w, "iodepth")) {
		check_depth(w);
		check_batches(w);
	}
	if (step_is_given(w, "size") && !step_is_bad(w, "size") && !step_is_bad(w, "bs") &&
	    !step_is_bad(w, "bssplit") && !step_is_bad(w, "nrfiles"))
		check_sizes(w);
	if (step_is_given(w, "time_based") && s->io.time_based && !s->opt.runtime_ns &&
	    !step_is_bad(w, "runtime"))
		step_fail(w, "time_based", "time_based = true: a runtime is needed");
}
