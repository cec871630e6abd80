/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The conditions that a result was measured under, out of its document. */
#include <stdlib.h>
#include <string.h>

#include "core/analyse/comparable.h"
#include "core/util/json.h"
#include "core/util/str.h"
#include "core/util/xalloc.h"

/* Dotted places in the document. */
static const struct {
	const char *path;
	const char *what;
	bool confounding;
} environment_facts[] = {
	{ "kernel.release", "kernel", false },
	{ "kernel.version", "kernel build", false },
	{ "kernel.cmdline", "kernel command line", false },
	{ "cpu.model", "processor", true },
	{ "cpu.online", "processors", true },
	{ "cpu.governor", "cpu governor", true },
	{ "cpu.mitigations", "mitigations", false },
	{ "memory_bytes", "memory", true },
	{ "device.model", "model of device", true },
	{ "device.serial", "serial of device", true },
	{ "device.rotational", "rotational device", true },
	{ "device.write_cache", "write cache of device", true },
	{ "device.fua", "FUA of device", true },
}, session_facts[] = {
	{ "target.kind", "kind of target", true },
	{ "target.size_bytes", "size of target", true },
	{ "target.count", "devices of target", true },
	{ "tool_version", "version of fstrial", true },
};

void facts_put(struct facts *f, const char *variant, const char *what, const char *text, bool confounding)
{
	if (f->n == f->cap) {
		f->cap = f->cap ? f->cap * 2 : 64;
		f->v = xreallocarray(f->v, f->cap, sizeof(*f->v));
	}
	f->v[f->n++] = (struct fact){ variant, what, text, confounding };
}

static const json_t *lookup(const json_t *o, const char *path)
{
	_cleanup_free_ char *copy = xstrdup(path);
	char *save = NULL;

	for (char *p = strtok_r(copy, ".", &save); p; p = strtok_r(NULL, ".", &save))
		o = json_object_get(o, p);
	return o;
}

/* What is not known is no fact: it differs from everything that is. */
static void add(struct facts *f, struct strmap *pool, const char *what, const json_t *v, bool confounding)
{
	_cleanup_free_ char *text = NULL;

	if (!v || json_is_null(v))
		return;
	text = json_is_string(v) ? xstrdup(json_string_value(v)) : js_dump(v);
	facts_put(f, NULL, strmap_text(pool, what), strmap_text(pool, text), confounding);
}

void facts_add_result(struct facts *f, struct strmap *pool, const json_t *environment, const json_t *session,
		      const json_t *plugins)
{
	/* Of a directory's file system, the size is what happens to be free. */
	bool directory = str_eq(js_get_str(json_object_get(session, "target"), "kind", ""), "directory");
	const char *tool;
	json_t *p, *v;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(environment_facts); i++)
		add(f, pool, environment_facts[i].what, lookup(environment, environment_facts[i].path),
		    environment_facts[i].confounding);
	for (i = 0; i < ARRAY_SIZE(session_facts); i++)
		if (!directory || !str_eq(session_facts[i].path, "target.size_bytes"))
			add(f, pool, session_facts[i].what, lookup(session, session_facts[i].path),
			    session_facts[i].confounding);
	json_object_foreach(json_object_get(environment, "tools"), tool, v)
	{
		_cleanup_free_ char *what = xasprintf("version of %s", tool);

		add(f, pool, what, v, false);
	}
	json_array_foreach((json_t *)plugins, i, p)
	{
		_cleanup_free_ char *what = xasprintf("version of plugin %s", js_get_str(p, "name", ""));

		add(f, pool, what, json_object_get(p, "version"), true);
	}
}

const char *facts_find(const struct facts *f, const char *what)
{
	for (size_t i = 0; i < f->n; i++)
		if (!f->v[i].variant && str_eq(f->v[i].what, what))
			return f->v[i].text;
	return NULL;
}

void facts_release(struct facts *f)
{
	free(f->v);
	*f = (struct facts){ 0 };
}
