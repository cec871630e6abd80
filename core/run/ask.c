/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One child that asks plugins about all distinct steps. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "core/run/ask.h"
#include "core/run/call.h"
#include "core/run/stepproc.h"
#include "core/util/clock.h"
#include "core/util/json.h"
#include "core/util/xalloc.h"

#define ASK_TIMEOUT_NS (600 * NSEC_PER_SEC)

struct asking {
	const struct job *job;
	void (*fn)(struct ask_step *a, json_t *record);
	json_t *record;
	size_t *at; /* shared with the parent: the step that is being asked about */
};

static bool ask_is_set(void *arg, const char *param)
{
	const struct ask_step *a = arg;

	return call_param_given(a->step, param);
}

static char *ask_fact(void *arg, const char *key)
{
	const struct ask_step *a = arg;
	uint32_t n = job_target_size_key(key);
	uint64_t size;

	if (strcmp(key, "target.count") == 0)
		return xasprintf("%u", job_target_count(&a->job->target));
	if (strcmp(key, "device.size") == 0)
		n = job_makes_device(a->job, a->index) ? 0 : 1;
	size = n == 1 ? a->job->names.target_size : n ? job_target_size(&a->job->target, n) : 0;
	return size ? xasprintf("%llu", (unsigned long long)size) : NULL;
}

static int ask_one(const struct job *job, size_t index, uint32_t variant, uint32_t n, void *arg)
{
	struct asking *k = arg;
	struct ask_step a = { .job = job, .index = index, .variant = variant, .n_variants = n };
	const struct host_sinks sinks = { .is_set = ask_is_set, .fact = ask_fact, .arg = &a };
	struct diag d = { 0 };
	struct step s;

	*k->at = index;
	if (job_step_resolve(job, index, variant, &s, &d) == 0) {
		a.step = &s;
		host_init(&a.host, s.plugin, &sinks);
		a.host.ctx.cfg = s.cfg;
		a.host.ctx.nworkers = s.plugin->desc.kind == FST_WORKLOAD ? (uint32_t)s.opt.numjobs : 0;
		a.host.ctx.io = plugin_is_data_workload(s.plugin) ? &s.io_public : NULL;
		k->fn(&a, k->record);
		host_release(&a.host);
	}
	step_release(&s);
	diag_free(&d);
	return 0;
}

static int ask_child(void *arg, json_t *record, struct err *e)
{
	struct asking *k = arg;

	(void)e;
	k->record = record;
	return job_each_distinct(k->job, ask_one, k);
}

json_t *ask_each(const struct job *job, void (*fn)(struct ask_step *a, json_t *record), struct err *e)
{
	struct asking k = { .job = job, .fn = fn };
	const struct stepproc sp = { .fn = ask_child, .arg = &k, .timeout_ns = ASK_TIMEOUT_NS, .signal_fd = -1 };
	struct stepproc_result res;
	json_t *record = NULL;
	int r;

	k.at = mmap(NULL, sizeof(*k.at), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (k.at == MAP_FAILED) {
		err_sys(e, errno, "mmap");
		return NULL;
	}
	r = stepproc_run(&sp, &res);
	if (r < 0) {
		err_sys(e, -r, "fork");
	} else if (res.result < 0) {
		err_set(e, res.err.code, "step %s: %s", job->steps[*k.at].name, res.err.text);
		stepproc_result_release(&res);
	} else {
		record = res.record;
	}
	munmap(k.at, sizeof(*k.at));
	return record;
}
