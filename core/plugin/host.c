/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The host table: what plugins may ask of the core, for one step in one process. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/plugin/host.h"
#include "core/util/clock.h"
#include "core/util/json.h"
#include "core/util/log.h"
#include "core/util/str.h"
#include "core/util/xalloc.h"

struct host *host_of(const struct fst_ctx *ctx)
{
	return ctx->core;
}

struct fst_ctx *host_engine_ctx(struct host *h, const void *cfg)
{
	h->engine_ctx = h->ctx;
	h->engine_ctx.cfg = cfg;
	h->engine_ctx.state = NULL;
	return &h->engine_ctx;
}

static const char *host_lend(struct host *h, char *text)
{
	h->lent = xrealloc(h->lent, (h->n_lent + 1) * sizeof(*h->lent));
	h->lent[h->n_lent++] = text;
	return text;
}

static int FST_PRINTF(3, 0) host_error(struct fst_ctx *ctx, int err, const char *fmt, va_list ap)
{
	struct host *h = host_of(ctx);

	err = err < 0 ? -err : err;
	pthread_mutex_lock(&h->lock);
	/* Why a step cannot work here at all is a sentence of its own. */
	if (err && !(h->probing && err == EOPNOTSUPP))
		err_sysv(&h->err, err, fmt, ap);
	else
		err_setv(&h->err, err ? err : HOST_REFUSED, fmt, ap);
	pthread_mutex_unlock(&h->lock);
	return err ? -err : -EINVAL;
}

/* Takes text. */
static void host_warn(struct host *h, char *text)
{
	pthread_mutex_lock(&h->lock);
	js_push(json_object_get(h->record, "warnings"), js_str(text));
	pthread_mutex_unlock(&h->lock);
	free(text);
}

static void FST_PRINTF(2, 0) host_warning(struct fst_ctx *ctx, const char *fmt, va_list ap)
{
	host_warn(host_of(ctx), xvasprintf(fmt, ap));
}

static void host_note(struct fst_ctx *ctx, const char *key, const char *value)
{
	struct host *h = host_of(ctx);

	js_set(json_object_get(h->record, "notes"), key, js_str(value));
}

static bool host_is_set(const struct fst_ctx *ctx, const char *param)
{
	struct host *h = host_of(ctx);

	return h->sinks.is_set && h->sinks.is_set(h->sinks.arg, param);
}

static const char *host_tool(struct fst_ctx *ctx, const char *program)
{
	struct host *h = host_of(ctx);
	char *path = proc_find(program);

	return path ? host_lend(h, path) : NULL;
}

/* "command: mkfs.xfs -f /dev/loop0, mkfs.xfs 6.1.0" belongs to a failure's text; kept in notes. */
static void host_note_command(struct host *h, const char *const *argv)
{
	struct strbuf text = STRBUF_INIT;
	const char *program = strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : argv[0];
	const char *version;

	for (size_t i = 0; argv[i]; i++)
		strbuf_addf(&text, "%s%s", i ? " " : "", i ? argv[i] : program);
	host_note(&h->ctx, "command", strbuf_str(&text));
	version = h->sinks.tool_version ? h->sinks.tool_version(h->sinks.arg, program) : NULL;
	if (version)
		host_note(&h->ctx, "tool_version", version);
	strbuf_free(&text);
}

static int host_run_cmd(struct fst_ctx *ctx, const struct fst_cmd *cmd, struct fst_cmd_result *res)
{
	struct host *h = host_of(ctx);
	const struct proc_cmd pc = {
		.argv = cmd->argv, .env = cmd->env, .cwd = cmd->cwd, .timeout_ns = cmd->timeout_ns, .stop = cmd->stop
	};
	struct proc_result pr = { .exit_status = -1 };
	struct fst_cmd_result out = { .exit_status = -1 };
	struct err e = { 0 };
	int r = proc_run(&pc, &pr, &e);

	host_note_command(h, cmd->argv);
	if (r < 0) {
		proc_result_release(&pr);
		return err_set(&h->err, -r, "%s", e.text);
	}
	if (h->sinks.command)
		h->sinks.command(h->sinks.arg, cmd->argv, &pr);
	if (pr.cut)
		host_warn(h, xasprintf("%s printed more than 1 MiB: the rest of it was not looked at", cmd->argv[0]));
	if (pr.timed_out)
		r = err_set(&h->err, ETIMEDOUT, "%s ran for more than %.1f s and was ended", cmd->argv[0],
			    (double)cmd->timeout_ns / (double)NSEC_PER_SEC);
	out.exit_status = pr.exit_status;
	out.signal = pr.signal;
	out.timed_out = pr.timed_out;
	out.wall_ns = pr.wall_ns;
	out.out = host_lend(h, strbuf_steal(&pr.out));
	out.err = host_lend(h, strbuf_steal(&pr.err));
	proc_result_release(&pr);
	out.struct_size = res->struct_size;
	memcpy(res, &out, MIN((size_t)res->struct_size, sizeof(out)));
	return r;
}

static int host_save(struct fst_ctx *ctx, const char *key, const char *value)
{
	struct host *h = host_of(ctx);
	struct err e = { 0 };
	int r;

	if (!h->sinks.save)
		return err_set(&h->err, EPERM, "fst_save(\"%s\") outside of apply", key);
	if (strpbrk(key, "\n") || strpbrk(value, "\n"))
		return err_set(&h->err, EINVAL, "fst_save(\"%s\"): text with a line break", key);
	r = h->sinks.save(h->sinks.arg, key, value, &e);
	return r < 0 ? err_set(&h->err, -r, "%s", e.text) : 0;
}

static const char *host_saved(struct fst_ctx *ctx, const char *key)
{
	const struct host *h = host_of(ctx);

	for (size_t i = 0; i < h->n_saved; i++)
		if (str_eq(h->saved[i].key, key))
			return h->saved[i].value;
	return NULL;
}

static int host_saved_each(struct fst_ctx *ctx,
			   int (*fn)(struct fst_ctx *, const char *, const char *, void *), void *arg)
{
	const struct host *h = host_of(ctx);
	int first = 0;

	for (size_t i = h->n_saved; i-- > 0;) {
		int r = fn(ctx, h->saved[i].key, h->saved[i].value, arg);

		if (r && !first)
			first = r;
	}
	return first;
}

static void host_asked(struct fst_ctx *ctx, const char *key, const char *value, uint32_t flags)
{
	json_t *asked = js_object();

	js_set(asked, "value", js_str(value));
	js_set(asked, "must", js_bool(flags & FST_MUST));
	js_set(json_object_get(host_of(ctx)->record, "asked"), key, asked);
}

static void host_in_force(struct fst_ctx *ctx, const char *key, const char *value)
{
	js_set(json_object_get(host_of(ctx)->record, "in_force"), key, js_str(value));
}

static const char *host_fact(struct fst_ctx *ctx, const char *key)
{
	struct host *h = host_of(ctx);
	char *text = h->sinks.fact ? h->sinks.fact(h->sinks.arg, key) : NULL;

	return text ? host_lend(h, text) : NULL;
}

static int host_set_dir(struct fst_ctx *ctx, const char *dir)
{
	struct host *h = host_of(ctx);

	free(h->new_dir);
	h->new_dir = xstrdup(dir);
	return 0;
}

static int host_set_device(struct fst_ctx *ctx, const char *device)
{
	struct host *h = host_of(ctx);

	free(h->new_device);
	h->new_device = xstrdup(device);
	return 0;
}

static int host_set_cgroup(struct fst_ctx *ctx, const char *procs)
{
	struct host *h = host_of(ctx);

	if (!h->cgroups)
		h->cgroups = js_array();
	js_push(h->cgroups, js_str(procs));
	return 0;
}

static int host_claim(struct fst_ctx *ctx, const char *device)
{
	struct host *h = host_of(ctx);

	h->claims = xrealloc(h->claims, (h->n_claims + 1) * sizeof(*h->claims));
	h->claims[h->n_claims++] = xstrdup(device);
	return 0;
}

static int host_keep(struct fst_ctx *ctx, int64_t pid)
{
	struct host *h = host_of(ctx);
	json_t *kept;

	if (!h->sinks.save)
		return err_set(&h->err, EPERM, "fst_keep(%lld) outside of apply", (long long)pid);
	/* The sweep at the step's end knows a kept process, and what belongs to it, by its session. */
	if (pid <= 1 || getsid((pid_t)pid) != pid)
		return err_set(&h->err, EINVAL, "fst_keep(%lld): no process that leads a session", (long long)pid);
	kept = json_object_get(h->record, "kept");
	if (!kept) {
		kept = js_array();
		js_set(h->record, "kept", kept);
	}
	js_push(kept, js_u64((uint64_t)pid));
	return 0;
}

static void FST_PRINTF(3, 0) host_plan(struct fst_ctx *ctx, const char *file, const char *fmt, va_list ap)
{
	struct host *h = host_of(ctx);
	char *text = xvasprintf(fmt, ap);
	json_t *o = js_object();

	if (!json_object_get(h->record, "plan"))
		js_set(h->record, "plan", js_array());
	js_set(o, "file", js_str(file));
	js_set(o, "text", js_str(text));
	js_push(json_object_get(h->record, "plan"), o);
	free(text);
}

static uint64_t host_now(void)
{
	return clock_now_ns();
}

void host_init(struct host *h, const struct plugin *p, const struct host_sinks *sinks)
{
	memset(h, 0, sizeof(*h));
	h->table = (struct fst_host){
		.struct_size = sizeof(struct fst_host),
		.abi = FST_ABI,
		.error = host_error,
		.warning = host_warning,
		.note = host_note,
		.is_set = host_is_set,
		.tool = host_tool,
		.run_cmd = host_run_cmd,
		.save = host_save,
		.saved = host_saved,
		.saved_each = host_saved_each,
		.asked = host_asked,
		.in_force = host_in_force,
		.fact = host_fact,
		.set_dir = host_set_dir,
		.set_device = host_set_device,
		.set_cgroup = host_set_cgroup,
		.claim = host_claim,
		.now = host_now,
		.declare = host_declare,
		.keep = host_keep,
		.plan = host_plan,
	};
	h->ctx.host = &h->table;
	h->ctx.core = h;
	h->ctx.struct_size = sizeof(h->ctx);
	h->plugin = p;
	if (sinks)
		h->sinks = *sinks;
	pthread_mutex_init(&h->lock, NULL);
	h->record = js_object();
	js_set(h->record, "warnings", js_array());
	js_set(h->record, "notes", js_object());
	js_set(h->record, "asked", js_object());
	js_set(h->record, "in_force", js_object());
	h->ctx.state = xcalloc(1, MAX(p->desc.state_size, (size_t)1));
}

void host_end_callback(struct host *h)
{
	for (size_t i = 0; i < h->n_lent; i++)
		free(h->lent[i]);
	free(h->lent);
	h->lent = NULL;
	h->n_lent = 0;
}

void host_release(struct host *h)
{
	host_end_callback(h);
	for (size_t i = 0; i < h->n_claims; i++)
		free(h->claims[i]);
	free(h->claims);
	host_release_declared(h);
	free(h->new_dir);
	free(h->new_device);
	json_decref(h->cgroups);
	free(h->ctx.state);
	json_decref(h->record);
	pthread_mutex_destroy(&h->lock);
}
