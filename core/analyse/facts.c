/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The conditions that a result was measured under, out of its document. */
#include <stdlib.h>
#include <string.h>

#include "core/analyse/comparable.h"
#include "core/util/json.h"
#include "core/util/str.h"
#include "core/util/strbuf.h"
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

void facts_add(struct facts *f, struct strmap *pool, const char *variant, const char *what, const char *text,
	       bool confounding)
{
	if (f->n == f->cap) {
		f->cap = f->cap ? f->cap * 2 : 64;
		f->v = xreallocarray(f->v, f->cap, sizeof(*f->v));
	}
	f->v[f->n++] = (struct fact){ variant ? strmap_text(pool, variant) : NULL, strmap_text(pool, what),
				      strmap_text(pool, text), confounding };
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
static void add(struct facts *f, struct strmap *pool, const char *variant, const char *what, const json_t *v,
		bool confounding)
{
	_cleanup_free_ char *text = NULL;

	if (!v || json_is_null(v))
		return;
	text = json_is_string(v) ? xstrdup(json_string_value(v)) : js_dump(v);
	facts_add(f, pool, variant, what, text, confounding);
}

static void add_members(struct facts *f, struct strmap *pool, const char *variant, const char *what, const json_t *o,
			bool confounding)
{
	const char *key;
	json_t *v;

	json_object_foreach((json_t *)o, key, v)
	{
		_cleanup_free_ char *name = xasprintf("%s %s", what, key);

		add(f, pool, variant, name, v, confounding);
	}
}

void facts_add_result(struct facts *f, struct strmap *pool, const json_t *environment, const json_t *session,
		      const json_t *plugins)
{
	/* Of a directory's file system, the size is what happens to be free. */
	bool directory = str_eq(js_get_str(json_object_get(session, "target"), "kind", ""), "directory");
	json_t *p;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(environment_facts); i++)
		add(f, pool, NULL, environment_facts[i].what, lookup(environment, environment_facts[i].path),
		    environment_facts[i].confounding);
	for (i = 0; i < ARRAY_SIZE(session_facts); i++)
		if (!directory || !str_eq(session_facts[i].path, "target.size_bytes"))
			add(f, pool, NULL, session_facts[i].what, lookup(session, session_facts[i].path),
			    session_facts[i].confounding);
	add_members(f, pool, NULL, "version of", json_object_get(environment, "tools"), false);
	json_array_foreach((json_t *)plugins, i, p)
	{
		_cleanup_free_ char *what = xasprintf("version of plugin %s", js_get_str(p, "name", ""));

		add(f, pool, NULL, what, json_object_get(p, "version"), true);
	}
}

/*
 * Options with a loop device as "logdev=/dev/loop": its number is by chance, that the log is on another device is
 * not.
 */
static json_t *mount_options(const json_t *mount)
{
	static const char loop[] = "/dev/loop";
	const char *p = js_get_str(mount, "options", NULL), *at;
	struct strbuf sb = STRBUF_INIT;
	json_t *text;

	if (!p)
		return json_null();
	while ((at = strstr(p, loop))) {
		at += strlen(loop);
		strbuf_add(&sb, p, (size_t)(at - p));
		p = at + strspn(at, "0123456789");
	}
	strbuf_addstr(&sb, p);
	text = js_str(strbuf_str(&sb));
	strbuf_free(&sb);
	return text;
}

void facts_add_variant(struct facts *f, struct strmap *pool, const char *variant, const json_t *filesystem,
		       const json_t *device_settings)
{
	static const char *const of_fs[] = { "type", "block_size", "features" };
	_cleanup_json_ json_t *options = mount_options(json_object_get(filesystem, "mount"));

	/* Even with no condition at all it is a variant that was measured. */
	facts_add(f, pool, variant, "file system", json_is_object(filesystem) ? "mounted" : "none", true);
	for (size_t i = 0; i < ARRAY_SIZE(of_fs); i++) {
		_cleanup_free_ char *what = xasprintf("file system's %s", of_fs[i]);

		add(f, pool, variant, what, json_object_get(filesystem, of_fs[i]), true);
	}
	add_members(f, pool, variant, "file system's", json_object_get(filesystem, "geometry"), true);
	add(f, pool, variant, "mount options", options, true);
	add_members(f, pool, variant, "device setting", device_settings, true);
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
