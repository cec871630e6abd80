/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Step records: every key is always there. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/run/judge.h"
#include "core/run/steprec.h"
#include "core/plugin/host.h"
#include "core/util/clock.h"
#include "core/util/file.h"
#include "core/util/json.h"
#include "core/util/str.h"
#include "core/util/xalloc.h"

/* Of a workload's measurements, in the order of the document. */
static const char *const measured_keys[] = { "metrics", "latency", "series", "measured", "engine", "data" };

/* Which steps ran together, and how that ended. */
static json_t *steprec_parallel(const struct job_parallel *g)
{
	json_t *o;

	if (!g)
		return json_null();
	o = js_object();
	js_set(o, "name", js_str(g->name));
	js_set(o, "stop", js_str(g->stop_word));
	return js_set(o, "shared_files", js_bool(g->shared_files));
}

json_t *steprec_new(const struct job_step *def, const struct step *step)
{
	json_t *rec = js_object(), *cpu = js_object();

	js_set(rec, "name", js_str(def->name));
	js_set(rec, "kind", js_str(plugin_kind_name(def->kind)));
	js_set(rec, "plugin", js_str(def->plugin_name));
	js_set(rec, "parallel", steprec_parallel(def->parallel));
	js_set(rec, "cold", json_null());
	js_set(rec, "status", js_str("not run"));
	js_set(rec, "reason", json_null());
	js_set(rec, "errno", json_null());
	js_set(rec, "started_ns", js_u64(clock_wall_ns()));
	js_set(rec, "elapsed_ns", js_u64(0));
	js_set(rec, "params", step ? step_params_json(step) : js_object());
	js_set(rec, "asked", js_object());
	js_set(rec, "in_force", js_object());
	js_set(rec, "notes", js_object());
	js_set(rec, "warnings", js_array());
	for (size_t i = 0; i < ARRAY_SIZE(measured_keys); i++)
		js_set(rec, measured_keys[i], i < 2 ? js_object() : json_null());
	js_set(rec, "expect", judge_open(step));
	js_set(cpu, "user_ns", js_u64(0));
	js_set(cpu, "system_ns", js_u64(0));
	js_set(cpu, "machine_busy_ns", js_u64(0));
	js_set(cpu, "steal_ns", js_u64(0));
	js_set(rec, "cpu", cpu);
	return rec;
}

void steprec_status(json_t *rec, const char *status, const struct err *e)
{
	js_set(rec, "status", js_str(status));
	js_set(rec, "reason", js_str(e && e->code ? e->text : NULL));
	js_set(rec, "errno", js_str(e && e->code && e->code != HOST_REFUSED ? err_name(e->code) : NULL));
}

void steprec_warn(json_t *rec, const char *fmt, ...)
{
	json_t *list = json_object_get(rec, "warnings"), *w;
	va_list ap;
	char *text;
	size_t i;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	json_array_foreach(list, i, w)
	{
		if (str_eq(json_string_value(w), text))
			goto out;
	}
	js_push(list, js_str(text));
out:
	free(text);
}

static void add_u64(json_t *object, const char *key, uint64_t more)
{
	js_set(object, key, js_u64(js_get_u64(object, key, 0) + more));
}

void steprec_take(json_t *rec, const struct stepproc_result *res)
{
	json_t *cpu = json_object_get(rec, "cpu"), *from;
	static const char *const merged[] = { "asked", "in_force", "notes" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(measured_keys); i++) {
		from = json_object_get(res->record, measured_keys[i]);
		if (from)
			js_set(rec, measured_keys[i], json_incref(from));
	}
	for (i = 0; i < ARRAY_SIZE(merged); i++) {
		from = json_object_get(res->record, merged[i]);
		if (from)
			json_object_update(json_object_get(rec, merged[i]), from);
	}
	/* A step that acts twice may say the same twice. */
	json_array_foreach(json_object_get(res->record, "warnings"), i, from)
	{
		steprec_warn(rec, "%s", json_string_value(from));
	}
	add_u64(rec, "elapsed_ns", res->elapsed_ns);
	add_u64(cpu, "user_ns", res->user_ns);
	add_u64(cpu, "system_ns", res->system_ns);
}

void steprec_cpu_read(struct steprec_cpu *c)
{
	unsigned long long v[8] = { 0 }; /* user nice system idle iowait irq softirq steal */
	char line[512];
	uint64_t tick_ns = NSEC_PER_SEC / (uint64_t)sysconf(_SC_CLK_TCK);

	*c = (struct steprec_cpu){ 0 };
	if (file_read_line("/proc/stat", line, sizeof(line)) < 0 ||
	    sscanf(line, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &v[0], &v[1], &v[2], &v[3], &v[4], &v[5],
		   &v[6], &v[7]) != 8)
		return;
	c->busy_ns = (v[0] + v[1] + v[2] + v[5] + v[6]) * tick_ns;
	c->steal_ns = v[7] * tick_ns;
}

void steprec_cpu_add(json_t *rec, const struct steprec_cpu *before)
{
	json_t *cpu = json_object_get(rec, "cpu");
	struct steprec_cpu now;

	steprec_cpu_read(&now);
	add_u64(cpu, "machine_busy_ns", now.busy_ns - before->busy_ns);
	add_u64(cpu, "steal_ns", now.steal_ns - before->steal_ns);
}
