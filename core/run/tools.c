/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Versions of external programs and plugins. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/run/tools.h"
#include "core/util/clock.h"
#include "core/util/json.h"
#include "core/util/proc.h"
#include "core/util/str.h"
#include "core/util/xalloc.h"

char *tools_parse_version(const char *text)
{
	const char *p = text;

	while (*p) {
		size_t len = strcspn(p, " \t\n,;()");
		const char *word = *p == 'v' ? p + 1 : p;

		if (isdigit((unsigned char)*word) && memchr(word, '.', (size_t)(p + len - word)))
			return xstrndup(word, (size_t)(p + len - word));
		p += len;
		p += strspn(p, " \t\n,;()");
	}
	return NULL;
}

static void tool_ask(json_t *tools, const struct fst_tool *tool)
{
	const char *argv[] = { tool->program, tool->version_arg, NULL };
	const struct proc_cmd cmd = { .argv = argv, .timeout_ns = 10 * NSEC_PER_SEC };
	struct proc_result res = { .exit_status = -1 };
	_cleanup_free_ char *version = NULL;

	if (json_object_get(tools, tool->program))
		return;
	if (tool->version_arg && proc_run(&cmd, &res, NULL) == 0) {
		version = tools_parse_version(strbuf_str(&res.out));
		if (!version)
			version = tools_parse_version(strbuf_str(&res.err));
	}
	js_set(tools, tool->program, js_str(version));
	proc_result_release(&res);
}

json_t *tools_collect(const struct job *job)
{
	json_t *tools = js_object();

	for (size_t i = 0; i < job->n_steps; i++) {
		const struct fstrial_plugin *d = &job->steps[i].plugin->desc;
		struct fst_tool tool;

		for (uint32_t k = 0; k < d->n_tools; k++) {
			plugin_tool(d, k, &tool);
			tool_ask(tools, &tool);
		}
	}
	return tools;
}

struct used {
	const struct plugin **v;
	size_t n;
};

static void used_add(struct used *u, const struct plugin *p)
{
	for (size_t i = 0; i < u->n; i++)
		if (u->v[i] == p)
			return;
	u->v = xrealloc(u->v, (u->n + 1) * sizeof(*u->v));
	u->v[u->n++] = p;
}

static int used_step(const struct job *job, size_t step, uint32_t variant, uint32_t n, void *arg)
{
	struct diag d = { 0 };
	struct step s;

	(void)n;
	if (job_step_resolve(job, step, variant, &s, &d) == 0) {
		used_add(arg, s.plugin);
		if (s.engine)
			used_add(arg, s.engine);
	}
	step_release(&s);
	diag_free(&d);
	return 0;
}

json_t *tools_plugins(const struct job *job, struct registry *reg)
{
	struct used used = { 0 };
	json_t *list = js_array();

	if (job_each_distinct(job, used_step, &used) != 0)
		used.n = 0;
	for (size_t i = 0; i < reg->n; i++) {
		struct plugin *p = reg->v[i];
		json_t *o;

		for (size_t k = 0; k < used.n; k++) {
			if (used.v[k] != p)
				continue;
			o = js_object();
			js_set(o, "name", js_str(p->desc.name));
			js_set(o, "kind", js_str(plugin_kind_name(p->desc.kind)));
			js_set(o, "version", js_str(p->desc.version));
			js_set(o, "abi", js_u64(p->desc.abi));
			js_set(o, "file", js_str(p->file));
			js_set(o, "sha256", js_str(plugin_sha256(p)));
			js_push(list, o);
		}
	}
	free(used.v);
	return list;
}
