/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plugin callbacks, from inside a step process. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/io/workload.h"
#include "core/record/fsfacts.h"
#include "core/run/call.h"
#include "core/run/call_device.h"
#include "core/util/blockdev.h"
#include "core/util/clock.h"
#include "core/util/file.h"
#include "core/util/json.h"
#include "core/util/str.h"
#include "core/util/strbuf.h"
#include "core/util/xalloc.h"

/* Undoing must not hang a session for ever, and must not give up on a slow umount either. */
#define REVERT_TIMEOUT_NS (600 * NSEC_PER_SEC)

/* A call in its child: the host and what only lives here. */
struct callee {
	struct call *c;
	struct host host;
	struct workload workload;
	json_t *facts; /* collected here */
	char *place;   /* ctx.dir where the step has one of its own */
	struct call_device device;
};

/* ---- sinks of the host table ------------------------------------------------------------------ */

static int sink_save(void *arg, const char *key, const char *value, struct err *e)
{
	const struct callee *k = arg;

	return undo_save(k->c->undo, k->c->undo_id, key, value, e);
}

static void log_lines(struct strbuf *sb, const char *mark, const struct strbuf *text)
{
	_cleanup_free_ char *copy = xstrdup(strbuf_str(text));
	char *save = NULL;

	for (char *l = strtok_r(copy, "\n", &save); l; l = strtok_r(NULL, "\n", &save))
		strbuf_addf(sb, "%s %s\n", mark, l);
}

static void sink_command(void *arg, const char *const *argv, const struct proc_result *res)
{
	const struct callee *k = arg;
	struct strbuf sb = STRBUF_INIT;
	char when[32];

	if (k->c->commands_fd < 0)
		return;
	strbuf_addf(&sb, "%s %s $", clock_format_utc(clock_wall_ns(), when, sizeof(when)), k->c->label);
	for (size_t i = 0; argv[i]; i++)
		strbuf_addf(&sb, strpbrk(argv[i], " \t'\"") ? " '%s'" : " %s", argv[i]);
	if (res->signal)
		strbuf_addf(&sb, "\n= signal %d (SIG%s)%s", res->signal, sigabbrev_np(res->signal),
			    res->timed_out ? ", out of time" : "");
	else
		strbuf_addf(&sb, "\n= exit %d", res->exit_status);
	strbuf_addf(&sb, " after %.3f s\n", (double)res->wall_ns / (double)NSEC_PER_SEC);
	log_lines(&sb, "|", &res->out);
	log_lines(&sb, "!", &res->err);
	if (file_write_all(k->c->commands_fd, sb.buf, sb.len) < 0)
		js_push(json_object_get(k->host.record, "warnings"), js_str("commands.log could not be written"));
	strbuf_free(&sb);
}

static char *sink_fact(void *arg, const char *key)
{
	struct callee *k = arg;
	const struct target *t = k->c->target;
	const json_t *facts = k->c->filesystem;
	uint32_t n = job_target_size_key(key);
	struct blockdev bd;

	if (t && (n == 1 || (n && n <= t->n_devices)))
		return xasprintf("%llu", (unsigned long long)(n == 1 ? t->size : t->devices[n - 1].bd.size));
	if (str_eq(key, "device.size"))
		return k->c->device && !blockdev_get(k->c->device, &bd, NULL)
			       ? xasprintf("%llu", (unsigned long long)bd.size)
			       : NULL;
	if (t && str_eq(key, "target.count"))
		return xasprintf("%u", t->n_devices);
	if (!str_starts(key, "filesystem."))
		return NULL;
	if (!facts && !k->facts)
		k->facts = fsfacts_collect(k->c->facts_dir, k->c->device);
	return fsfacts_lookup(facts ? facts : k->facts, key + strlen("filesystem."));
}

bool call_param_given(const struct step *s, const char *param)
{
	uint32_t i;

	for (uint32_t l = 0; s && l < s->n_layers; l++)
		if (param_find(&s->layers[l], param, &i) == 0)
			return param_is_given(&s->layers[l], i);
	return false;
}

static bool sink_is_set(void *arg, const char *param)
{
	const struct callee *k = arg;

	return call_param_given(k->c->step, param);
}

static const char *sink_tool_version(void *arg, const char *program)
{
	const struct callee *k = arg;

	return js_get_str(k->c->tools, program, NULL);
}

/* ---- callbacks -------------------------------------------------------------------------------- */

static struct workload *callee_workload(struct fst_ctx *ctx)
{
	struct callee *k = host_of(ctx)->priv;

	return &k->workload;
}

static void callee_init(struct callee *k, struct call *c)
{
	const struct host_sinks sinks = {
		.save = c->undo ? sink_save : NULL,
		.command = sink_command,
		.fact = sink_fact,
		.is_set = sink_is_set,
		.tool_version = sink_tool_version,
		.arg = k,
	};

	*k = (struct callee){ .c = c };
	host_init(&k->host, c->plugin, &sinks);
	host_io_fill(&k->host.table, callee_workload);
	k->host.priv = k;
	k->host.ctx.seed = c->seed;
	if (c->saved) {
		k->host.saved = c->saved->facts;
		k->host.n_saved = c->saved->n_facts;
	}
	if (!c->step)
		return; /* revert */
	k->host.ctx.dir = c->dir;
	k->host.ctx.device = c->device;
	k->host.ctx.sysfs = c->sysfs;
	k->host.ctx.cfg = c->step->cfg;
	if (c->target) {
		k->host.ctx.devices = c->target->paths;
		k->host.ctx.n_devices = c->target->n_devices;
	}
	if (c->plugin->desc.kind == FST_WORKLOAD)
		k->host.ctx.nworkers = (uint32_t)c->step->opt.numjobs;
	if (plugin_is_data_workload(c->plugin))
		k->host.ctx.io = &c->step->io_public;
}

static int callee_call_on(struct callee *k, struct fst_ctx *ctx, int (*fn)(struct fst_ctx *), const char *name)
{
	int r = fn ? fn(ctx) : 0;

	host_end_callback(&k->host);
	if (r < 0)
		err_sys(&k->host.err, -r, "%s", name);
	else if (k->host.err.code)
		r = -k->host.err.code;
	return r;
}

static int callee_call(struct callee *k, int (*fn)(struct fst_ctx *), const char *name)
{
	return callee_call_on(k, &k->host.ctx, fn, name);
}

/* Hands over what was gathered. */
static int callee_finish(struct callee *k, int r, json_t *record, struct err *e)
{
	json_object_update(record, k->host.record);
	if (k->host.new_dir)
		js_set(record, "dir", js_str(k->host.new_dir));
	if (k->host.new_device)
		js_set(record, "device", js_str(k->host.new_device));
	if (k->host.cgroups)
		js_set(record, "cgroups", json_incref(k->host.cgroups));
	*e = k->host.err;
	host_release(&k->host);
	json_decref(k->facts);
	free(k->place);
	call_device_release(&k->device);
	return r;
}

static int callee_probe_on(struct callee *k, const struct fstrial_plugin *d, struct fst_ctx *ctx, json_t *record)
{
	int r;

	k->host.probing = true;
	r = callee_call_on(k, ctx, d->probe, "probe");
	k->host.probing = false;
	if (r == -EOPNOTSUPP)
		js_set(record, "skipped", js_bool(1));
	return r ? r : callee_call_on(k, ctx, d->check, "check");
}

/* What check named: judged at load by name, and now by what is there. */
static int callee_claims(struct callee *k)
{
	int r = call_device_find(k->c, &k->device, &k->host.err);

	for (size_t i = 0; r == 0 && k->c->target && i < k->host.n_claims; i++)
		r = call_device_claim(k->c, &k->device, k->host.claims[i], &k->host.err);
	return r;
}

static int callee_probe(struct callee *k, json_t *record)
{
	const struct step *s = k->c->step;
	int r = callee_probe_on(k, &k->c->plugin->desc, &k->host.ctx, record);

	if (r == 0 && s && s->engine)
		r = callee_probe_on(k, &s->engine->desc, host_engine_ctx(&k->host, s->engine_cfg), record);
	return r ? r : callee_claims(k);
}

static int child_apply(void *arg, json_t *record, struct err *e)
{
	struct callee k;
	int r;

	callee_init(&k, arg);
	r = callee_probe(&k, record);
	if (r == 0)
		r = callee_call(&k, k.c->plugin->desc.apply, "apply");
	return callee_finish(&k, r, record, e);
}

static int child_readback(void *arg, json_t *record, struct err *e)
{
	struct callee k;
	int r;

	callee_init(&k, arg);
	r = callee_call(&k, k.c->plugin->desc.readback, "readback");
	return callee_finish(&k, r, record, e);
}

static int child_revert(void *arg, json_t *record, struct err *e)
{
	struct callee k;
	int r;

	callee_init(&k, arg);
	r = callee_call(&k, k.c->plugin->desc.revert, "revert");
	return callee_finish(&k, r, record, e);
}

/* A place of its own in the trial's directory. */
static int callee_enter(struct callee *k)
{
	struct stat st;
	char *path;

	if (!k->c->subdir || !k->c->dir)
		return 0;
	path = k->place = xasprintf("%s/%s", k->c->dir, k->c->subdir);
	if (mkdir(path, 0755) < 0 && errno != EEXIST)
		return err_sys(&k->host.err, errno, "mkdir %s", path);
	if (lstat(path, &st) < 0 || !S_ISDIR(st.st_mode))
		return err_sys(&k->host.err, ENOTDIR, "%s", path);
	k->host.ctx.dir = path;
	return 0;
}

/* With all threads that it is going to have. A note says in which groups the step ran. */
static int callee_enter_cgroups(struct callee *k)
{
	struct strbuf names = STRBUF_INIT;
	json_t *v;
	size_t i;
	int r = 0;

	json_array_foreach((json_t *)k->c->cgroups, i, v)
	{
		const char *procs = json_string_value(v), *end = strrchr(procs, '/');

		r = r ? r : file_write_value(procs, "0");
		if (r < 0)
			err_sys(&k->host.err, -r, "enter the control group: write 0 to %s", procs);
		strbuf_addf(&names, "%s%.*s", names.len ? ", " : "", (int)(end ? end - procs : 0), procs);
	}
	if (names.len)
		js_set(json_object_get(k->host.record, "notes"), "cgroup", js_str(names.buf));
	strbuf_free(&names);
	return r;
}

static int child_workload(void *arg, json_t *record, struct err *e)
{
	struct callee k;
	int r;

	callee_init(&k, arg);
	r = callee_enter_cgroups(&k);
	if (r == 0)
		r = callee_enter(&k);
	if (r == 0)
		r = callee_probe(&k, record);
	if (r == 0) {
		_cleanup_free_ char *warning = call_device_warning(k.c, &k.device);

		if (warning)
			fst_warning(&k.host.ctx, "%s", warning);
		k.workload = (struct workload){
			.ctx = &k.host.ctx,
			.desc = &k.c->plugin->desc,
			.declared = k.host.declared,
			.n_declared = k.host.n_declared,
			.engine = k.c->step->engine ? &k.c->step->engine->desc : NULL,
			.engine_cfg = k.c->step->engine_cfg,
			.opt = &k.c->step->opt,
			.io = k.host.ctx.io ? &k.c->step->io : NULL,
			.device = k.device.path ? &k.device.dev : NULL,
			.live = k.c->live,
			.err = &k.host.err,
		};
		r = workload_execute(&k.workload, k.host.record);
		if (r < 0)
			err_sys(&k.host.err, -r, "workload");
	}
	return callee_finish(&k, r, record, e);
}

/* ---- from the session's side ------------------------------------------------------------------ */

static struct stepproc call_proc(struct call *c, int (*fn)(void *, json_t *, struct err *), uint64_t timeout_ns,
				 bool stoppable)
{
	return (struct stepproc){
		.fn = fn,
		.arg = c,
		.timeout_ns = timeout_ns,
		.signal_fd = c->signal_fd,
		.stoppable = stoppable,
		.live = c->live,
		.tick = c->tick,
		.tick_arg = c->tick_arg,
	};
}

static int call_run(struct call *c, int (*fn)(void *, json_t *, struct err *), uint64_t timeout_ns,
		    bool stoppable, struct stepproc_result *res)
{
	const struct stepproc sp = call_proc(c, fn, timeout_ns, stoppable);

	return stepproc_run(&sp, res);
}

int call_apply(struct call *c, struct stepproc_result *res)
{
	return call_run(c, child_apply, c->step->opt.timeout_ns, true, res);
}

int call_readback(struct call *c, struct stepproc_result *res)
{
	return call_run(c, child_readback, c->step->opt.timeout_ns, false, res);
}

int call_revert(struct call *c, struct stepproc_result *res)
{
	return call_run(c, child_revert, REVERT_TIMEOUT_NS, false, res);
}

int call_workload(struct call *c, struct stepproc_result *res)
{
	return call_run(c, child_workload, c->step->opt.timeout_ns, true, res);
}

struct stepproc call_workload_proc(struct call *c)
{
	return call_proc(c, child_workload, c->step->opt.timeout_ns, true);
}
