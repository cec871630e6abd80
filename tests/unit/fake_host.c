/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A host for unit tests of plugins: records and answers. */
#include "tests/unit/fake_host.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void fake_die(const char *what, const char *name)
{
	fprintf(stderr, "fake host: %s: %s\n", what, name);
	abort();
}

static void *fake_must(void *p)
{
	if (!p)
		fake_die("out of memory", "");
	return p;
}

static char *fake_strdup(const char *s)
{
	return s ? fake_must(strdup(s)) : NULL;
}

static struct fake_host *fake_of(const struct fst_ctx *ctx)
{
	return ctx->core;
}

/* ---- lists ----------------------------------------------------------------------------------- */

static void fake_list_add(struct fake_list *list, const char *key, const char *value,
			  uint32_t flags)
{
	list->v = fake_must(realloc(list->v, (list->n + 1) * sizeof(*list->v)));
	list->v[list->n].key = fake_strdup(key);
	list->v[list->n].value = fake_strdup(value);
	list->v[list->n++].flags = flags;
}

static void fake_list_clear(struct fake_list *list)
{
	size_t i;

	for (i = 0; i < list->n; i++) {
		free(list->v[i].key);
		free(list->v[i].value);
	}
	free(list->v);
	list->v = NULL;
	list->n = 0;
}

const char *fake_host_find(const struct fake_list *list, const char *key)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		if (strcmp(list->v[i].key, key) == 0)
			return list->v[i].value;
	return NULL;
}

static void FST_PRINTF(2, 0) fake_list_vadd(struct fake_list *list, const char *fmt, va_list ap)
{
	char *text = NULL;

	if (vasprintf(&text, fmt, ap) < 0)
		fake_die("out of memory", fmt);
	fake_list_add(list, "", text, 0);
	free(text);
}

/* ---- the table ------------------------------------------------------------------------------- */

static int FST_PRINTF(3, 0) fake_error(struct fst_ctx *ctx, int err, const char *fmt, va_list ap)
{
	struct fake_host *h = fake_of(ctx);

	if (err < 0)
		fake_die("fst_error() takes a positive errno, or 0", fmt);
	if (h->error)
		return err ? -err : -EINVAL;
	h->err = err;
	if (vasprintf(&h->error, fmt, ap) < 0)
		fake_die("out of memory", fmt);
	return err ? -err : -EINVAL;
}

static void FST_PRINTF(2, 0) fake_warning(struct fst_ctx *ctx, const char *fmt, va_list ap)
{
	fake_list_vadd(&fake_of(ctx)->warnings, fmt, ap);
}

static void fake_note(struct fst_ctx *ctx, const char *key, const char *value)
{
	fake_list_add(&fake_of(ctx)->notes, key, value, 0);
}

static bool fake_is_set(const struct fst_ctx *ctx, const char *param)
{
	return fake_host_find(&fake_of(ctx)->set, param) != NULL;
}

static const char *fake_tool(struct fst_ctx *ctx, const char *program)
{
	struct fake_host *h = fake_of(ctx);
	uint32_t i;

	for (i = 0; i < h->plugin->n_tools; i++)
		if (strcmp(h->plugin->tools[i].program, program) == 0)
			return h->no_tools ? NULL : h->plugin->tools[i].program;
	fake_die("not in the plugin's tool table", program);
	return NULL;
}

static int fake_run_cmd(struct fst_ctx *ctx, const struct fst_cmd *cmd, struct fst_cmd_result *res)
{
	struct fake_host *h = fake_of(ctx);
	char text[4096] = "";
	size_t i, n = 0;

	if (res->struct_size != sizeof(*res))
		fake_die("struct_size of the result is not set", cmd->argv[0]);
	for (i = 0; cmd->argv[i] && n < sizeof(text); i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, i ? " %s" : "%s", cmd->argv[i]);
	i = h->commands.n;
	fake_list_add(&h->commands, "", text, 0);
	memset(res, 0, sizeof(*res));
	res->struct_size = sizeof(*res);
	res->out = i < h->n_answers ? h->answers[i].out : "";
	res->err = i < h->n_answers ? h->answers[i].err : "";
	res->exit_status = i < h->n_answers ? h->answers[i].exit_status : 0;
	return 0;
}

static int fake_save(struct fst_ctx *ctx, const char *key, const char *value)
{
	struct fake_host *h = fake_of(ctx);

	if (strchr(value, '\n'))
		fake_die("fst_save() of a value with a newline", key);
	if (h->save_fails)
		return -h->save_fails;
	fake_list_add(&h->saves, key, value, 0);
	return 0;
}

static const char *fake_saved(struct fst_ctx *ctx, const char *key)
{
	return fake_host_find(&fake_of(ctx)->saves, key);
}

static int fake_saved_each(struct fst_ctx *ctx,
			   int (*fn)(struct fst_ctx *ctx, const char *key, const char *value,
				     void *arg),
			   void *arg)
{
	struct fake_host *h = fake_of(ctx);
	int r, first = 0;
	size_t i;

	for (i = h->saves.n; i-- > 0;) {
		r = fn(ctx, h->saves.v[i].key, h->saves.v[i].value, arg);
		if (first == 0)
			first = r;
	}
	return first;
}

static void fake_asked(struct fst_ctx *ctx, const char *key, const char *value, uint32_t flags)
{
	fake_list_add(&fake_of(ctx)->asked, key, value, flags);
}

static void fake_in_force(struct fst_ctx *ctx, const char *key, const char *value)
{
	fake_list_add(&fake_of(ctx)->in_force, key, value, 0);
}

static const char *fake_fact(struct fst_ctx *ctx, const char *key)
{
	return fake_host_find(&fake_of(ctx)->facts, key);
}

static int fake_set_dir(struct fst_ctx *ctx, const char *dir)
{
	struct fake_host *h = fake_of(ctx);

	free(h->dir);
	h->dir = fake_strdup(dir);
	ctx->dir = h->dir;
	return 0;
}

static int fake_set_device(struct fst_ctx *ctx, const char *device)
{
	struct fake_host *h = fake_of(ctx);

	free(h->device);
	h->device = fake_strdup(device);
	ctx->device = h->device;
	return 0;
}

static int fake_set_cgroup(struct fst_ctx *ctx, const char *procs)
{
	fake_list_add(&fake_of(ctx)->cgroups, "", procs, 0);
	return 0;
}

static int fake_claim(struct fst_ctx *ctx, const char *device)
{
	fake_list_add(&fake_of(ctx)->claims, "", device, 0);
	return 0;
}

/* Kept as NAME = "UNIT BETTER FLAGS". */
static int fake_declare(struct fst_ctx *ctx, const struct fst_metric *m, uint32_t size)
{
	char text[64];

	if (size != sizeof(*m) || !m->name || !m->unit || !m->doc)
		fake_die("a declared metric is not whole", m->name ? m->name : "?");
	snprintf(text, sizeof(text), "%s %u %u", m->unit, m->better, m->flags);
	fake_list_add(&fake_of(ctx)->declared, m->name, text, m->flags);
	return 0;
}

static int fake_keep(struct fst_ctx *ctx, int64_t pid)
{
	fake_of(ctx)->kept = pid;
	return 0;
}

static void FST_PRINTF(3, 0) fake_plan(struct fst_ctx *ctx, const char *file, const char *fmt, va_list ap)
{
	char text[4096];

	vsnprintf(text, sizeof(text), fmt, ap);
	fake_list_add(&fake_of(ctx)->plans, file ? file : "", text, 0);
}

static int fake_metric(struct fst_ctx *ctx, const char *name, double value)
{
	struct fake_host *h = fake_of(ctx);
	char text[64];
	uint32_t i;

	for (i = 0; i < h->plugin->n_metrics; i++)
		if (strcmp(h->plugin->metrics[i].name, name) == 0)
			break;
	if (i == h->plugin->n_metrics && !fake_host_find(&h->declared, name))
		fake_die("metric is not declared", name);
	snprintf(text, sizeof(text), "%.17g", value);
	fake_list_add(&h->metrics, name, text, 0);
	return 0;
}

static int fake_worker_metric(struct fst_worker *w, const char *name, double value)
{
	return fake_metric(w->ctx, name, value);
}

static int fake_files(struct fst_ctx *ctx, uint32_t mode)
{
	fake_of(ctx)->files_mode = (int)mode + 1;
	return 0;
}

static int fake_file_add(struct fst_ctx *ctx, const struct fst_file *file, uint32_t *number)
{
	struct fake_host *h = fake_of(ctx);
	struct fake_file *f = &h->files[h->n_files];

	if (h->n_files == FAKE_MAX_FILES)
		fake_die("too many files", file->name);
	f->name = fake_strdup(file->name);
	f->size = file->size;
	f->mode = file->mode;
	f->worker = file->worker;
	*number = h->n_files++;
	return 0;
}

static uint64_t fake_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static uint64_t fake_count_op(struct fst_worker *w, uint32_t op, uint64_t start_ns, uint64_t bytes)
{
	struct fake_host *h = fake_of(w->ctx);

	if (op >= FAKE_MAX_OPS)
		fake_die("fst_op() with an unknown operation", h->plugin->name);
	__atomic_add_fetch(&h->ops[op].count, 1, __ATOMIC_RELAXED);
	__atomic_add_fetch(&h->ops[op].bytes, bytes, __ATOMIC_RELAXED);
	__atomic_add_fetch(&h->ops[op].ns, fake_now() - start_ns, __ATOMIC_RELAXED);
	return fake_now();
}

/* splitmix64 */
static uint64_t fake_random(struct fst_worker *w)
{
	uint64_t z = __atomic_add_fetch(&fake_of(w->ctx)->random, UINT64_C(0x9e3779b97f4a7c15),
					__ATOMIC_RELAXED);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static const struct fst_host fake_table = {
	.struct_size = sizeof(struct fst_host),
	.abi = FST_ABI,
	.error = fake_error,
	.warning = fake_warning,
	.note = fake_note,
	.is_set = fake_is_set,
	.tool = fake_tool,
	.run_cmd = fake_run_cmd,
	.save = fake_save,
	.saved = fake_saved,
	.saved_each = fake_saved_each,
	.asked = fake_asked,
	.in_force = fake_in_force,
	.fact = fake_fact,
	.set_dir = fake_set_dir,
	.set_device = fake_set_device,
	.set_cgroup = fake_set_cgroup,
	.claim = fake_claim,
	.plan = fake_plan,
	.metric = fake_metric,
	.worker_metric = fake_worker_metric,
	.files = fake_files,
	.file_add = fake_file_add,
	.now = fake_now,
	.op = fake_count_op,
	.random = fake_random,
	.declare = fake_declare,
	.keep = fake_keep,
};

/* ---- parameters ------------------------------------------------------------------------------ */

static void *fake_own(struct fake_host *h, void *p)
{
	h->memory = fake_must(realloc(h->memory, (h->n_memory + 1) * sizeof(*h->memory)));
	h->memory[h->n_memory++] = fake_must(p);
	return p;
}

/* A number with a unit, sizes or times. */
static uint64_t fake_number(const char *name, const char *text)
{
	static const struct {
		const char *unit;
		uint64_t factor;
	} units[] = {
		{ "", 1 },
		{ "b", 1 },
		{ "B", 1 },
		{ "k", UINT64_C(1) << 10 },
		{ "KiB", UINT64_C(1) << 10 },
		{ "MiB", UINT64_C(1) << 20 },
		{ "GiB", UINT64_C(1) << 30 },
		{ "TiB", UINT64_C(1) << 40 },
		{ "g", UINT64_C(1) << 30 },
		{ "ns", 1 },
		{ "us", 1000 },
		{ "ms", 1000000 },
		{ "s", UINT64_C(1000000000) },
		{ "m", UINT64_C(1) << 20 },
		{ "min", UINT64_C(60000000000) },
	};
	uint64_t n;
	char *end;
	size_t i;

	errno = 0;
	n = strtoull(text, &end, 0);
	for (i = 0; i < sizeof(units) / sizeof(units[0]) && !errno && end != text; i++)
		if (strcmp(end, units[i].unit) == 0)
			return n * units[i].factor;
	fake_die("not a number", name);
	return 0;
}

static int fake_choice(const struct fst_param *p, const char *text)
{
	uint32_t i;

	for (i = 0; i < p->n_choices; i++)
		if (strcmp(p->choices[i].name, text) == 0)
			return p->choices[i].value;
	fake_die("no such choice", text);
	return 0;
}

static void fake_list_param(struct fake_host *h, struct fst_list *list, const char *text)
{
	const char **v = fake_own(h, calloc(list->n + 1, sizeof(*v)));

	if (list->n)
		memcpy(v, list->v, list->n * sizeof(*v));
	v[list->n++] = fake_own(h, strdup(text));
	list->v = v;
}

static void fake_store(struct fake_host *h, const struct fst_param *p, const char *text)
{
	void *at = (char *)(uintptr_t)h->ctx.cfg + p->offset;

	switch ((enum fst_type)p->type) {
	case FST_BOOL:
		*(bool *)at = strcmp(text, "true") == 0;
		break;
	case FST_I64:
		*(int64_t *)at = strtoll(text, NULL, 0);
		break;
	case FST_F64:
		*(double *)at = strtod(text, NULL);
		break;
	case FST_STR:
	case FST_PATH:
		*(const char **)at = fake_own(h, strdup(text));
		break;
	case FST_ENUM:
		*(int *)at = fake_choice(p, text);
		break;
	case FST_LIST:
		fake_list_param(h, at, text);
		break;
	case FST_U64:
	case FST_SIZE:
	case FST_TIME:
		*(uint64_t *)at = fake_number(p->name, text);
		break;
	}
}

void fake_host_param(struct fake_host *h, const char *name, const char *value)
{
	uint32_t i;

	for (i = 0; i < h->plugin->n_params; i++) {
		const struct fst_param *p = &h->plugin->params[i];

		if (strcmp(p->name, name) != 0 && !(p->alias && strcmp(p->alias, name) == 0))
			continue;
		fake_store(h, p, value);
		fake_list_add(&h->set, p->name, value, 0);
		return;
	}
	fake_die("no such parameter", name);
}

void fake_host_params(struct fake_host *h, const char *text)
{
	char *copy = fake_strdup(text), *rest = copy, *one, *eq;

	while ((one = strsep(&rest, ";")) != NULL) {
		if (!*one)
			continue;
		eq = strchr(one, '=');
		if (!eq)
			fake_die("not NAME=VALUE", one);
		*eq = '\0';
		fake_host_param(h, one, eq + 1);
	}
	free(copy);
}

/* ---- the rest -------------------------------------------------------------------------------- */

struct fake_host *fake_host_new(const struct fstrial_plugin *plugin)
{
	struct fake_host *h = fake_must(calloc(1, sizeof(*h)));
	uint32_t i;

	h->table = fake_table;
	h->plugin = plugin;
	h->ctx.host = &h->table;
	h->ctx.core = h;
	h->ctx.cfg = fake_must(calloc(1, plugin->cfg_size + 1));
	h->ctx.state = fake_must(calloc(1, plugin->state_size + 1));
	for (i = 0; i < plugin->n_params; i++)
		if (plugin->params[i].def)
			fake_store(h, &plugin->params[i], plugin->params[i].def);
	return h;
}

static void fake_host_forget(struct fake_host *h)
{
	uint32_t i;

	free(h->error);
	h->error = NULL;
	h->err = 0;
	fake_list_clear(&h->asked);
	fake_list_clear(&h->in_force);
	fake_list_clear(&h->notes);
	fake_list_clear(&h->metrics);
	fake_list_clear(&h->declared);
	fake_list_clear(&h->warnings);
	fake_list_clear(&h->claims);
	fake_list_clear(&h->cgroups);
	fake_list_clear(&h->commands);
	fake_list_clear(&h->plans);
	for (i = 0; i < h->n_answers; i++) {
		free(h->answers[i].out);
		free(h->answers[i].err);
	}
	h->n_answers = 0;
	for (i = 0; i < h->n_files; i++)
		free(h->files[i].name);
	h->n_files = 0;
	h->files_mode = 0;
	memset(h->ops, 0, sizeof(h->ops));
}

void fake_host_next_process(struct fake_host *h)
{
	fake_host_forget(h);
	memset(h->ctx.state, 0, h->plugin->state_size);
}

int fake_host_revert(struct fake_host *h)
{
	struct fst_ctx ctx = h->ctx;
	int r;

	fake_host_next_process(h);
	h->ctx.cfg = NULL;
	h->ctx.dir = NULL;
	h->ctx.device = NULL;
	h->ctx.sysfs = NULL;
	h->ctx.io = NULL;
	r = h->plugin->revert(&h->ctx);
	h->ctx = ctx;
	return r;
}

void fake_host_free(struct fake_host *h)
{
	size_t i;

	if (!h)
		return;
	fake_host_forget(h);
	fake_list_clear(&h->saves);
	fake_list_clear(&h->facts);
	fake_list_clear(&h->set);
	for (i = 0; i < h->n_memory; i++)
		free(h->memory[i]);
	free(h->memory);
	free(h->dir);
	free(h->device);
	free((void *)(uintptr_t)h->ctx.cfg);
	free(h->ctx.state);
	free(h);
}

void fake_host_fact(struct fake_host *h, const char *key, const char *value)
{
	size_t i;

	for (i = 0; i < h->facts.n; i++) {
		if (strcmp(h->facts.v[i].key, key) != 0)
			continue;
		free(h->facts.v[i].value);
		h->facts.v[i].value = fake_strdup(value);
		return;
	}
	fake_list_add(&h->facts, key, value, 0);
}

void fake_host_command(struct fake_host *h, int exit_status, const char *out, const char *err)
{
	if (h->n_answers == FAKE_MAX_COMMANDS)
		fake_die("too many commands", out);
	h->answers[h->n_answers].exit_status = exit_status;
	h->answers[h->n_answers].out = fake_strdup(out);
	h->answers[h->n_answers++].err = fake_strdup(err);
}

struct fst_worker *fake_worker_new(struct fake_host *h, uint32_t index)
{
	struct fst_worker *w = fake_must(calloc(1, sizeof(*w)));

	w->ctx = &h->ctx;
	w->state = fake_must(calloc(1, h->plugin->worker_size + 1));
	w->stop = &h->stop;
	w->index = index;
	return w;
}

void fake_worker_free(struct fst_worker *w)
{
	if (w)
		free(w->state);
	free(w);
}
