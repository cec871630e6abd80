/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Field by field through the conditions of two results. */
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
} fields[] = {
	{ "environment.kernel.release", "kernel", false },
	{ "environment.kernel.version", "kernel build", false },
	{ "environment.kernel.cmdline", "kernel command line", false },
	{ "environment.cpu.model", "processor", true },
	{ "environment.cpu.online", "processors", true },
	{ "environment.cpu.governor", "cpu governor", true },
	{ "environment.cpu.mitigations", "mitigations", false },
	{ "environment.memory_bytes", "memory", true },
	{ "session.target.kind", "kind of target", true },
	{ "session.target.size_bytes", "size of target", true },
	{ "session.target.count", "devices of target", true },
	{ "session.tool_version", "version of fstrial", true },
	{ "environment.device.model", "model of device", true },
	{ "environment.device.serial", "serial of device", true },
	{ "environment.device.rotational", "rotational device", true },
	{ "environment.device.write_cache", "write cache of device", true },
	{ "environment.device.fua", "FUA of device", true },
};

/* Of a directory's file system, the size is what happens to be free. */
static bool is_directory(const json_t *doc)
{
	const json_t *target = json_object_get(json_object_get(doc, "session"), "target");

	return str_eq(js_get_str(target, "kind", ""), "directory");
}

static const json_t *lookup(const json_t *doc, const char *path)
{
	_cleanup_free_ char *copy = xstrdup(path);
	char *save = NULL;

	for (char *p = strtok_r(copy, ".", &save); p; p = strtok_r(NULL, ".", &save))
		doc = json_object_get(doc, p);
	return doc;
}

static char *text_of(const json_t *v)
{
	if (!v || json_is_null(v))
		return xstrdup("(unknown)");
	return json_is_string(v) ? xstrdup(json_string_value(v)) : js_dump(v);
}

static void add(struct differences *d, const char *what, const json_t *base, const json_t *new, bool confounding)
{
	char *a = text_of(base), *b = text_of(new);

	if (str_eq(a, b)) {
		free(a);
		free(b);
		return;
	}
	d->v = xrealloc(d->v, (d->n + 1) * sizeof(*d->v));
	d->v[d->n++] = (struct difference){ xstrdup(what), a, b, confounding };
	d->confounding += confounding;
}

/* Every member that is in either object. */
static void add_members(struct differences *d, const char *what, const json_t *base, const json_t *new, bool confounding)
{
	_cleanup_json_ json_t *all = js_object();
	const char *key;
	json_t *v;

	json_object_update(all, (json_t *)(base ? base : all));
	json_object_update_missing(all, (json_t *)(new ? new : all));
	json_object_foreach(all, key, v)
	{
		_cleanup_free_ char *name = xasprintf("%s %s", what, key);

		add(d, name, json_object_get(base, key), json_object_get(new, key), confounding);
	}
}

/* Conditions of a variant: those of its first good trial, as they were the same in all of them. */
static json_t *conditions(const json_t *doc)
{
	json_t *out = js_object(), *variant, *trial;
	size_t i, k;

	json_array_foreach(json_object_get(doc, "variants"), i, variant)
	{
		_cleanup_free_ char *key = js_dump(json_object_get(variant, "values"));

		json_array_foreach(json_object_get(doc, "trials"), k, trial)
		{
			if (str_eq(js_get_str(trial, "variant", ""), js_get_str(variant, "id", "-")) &&
			    str_eq(js_get_str(trial, "status", ""), "ok")) {
				js_set(out, key, json_incref(trial));
				break;
			}
		}
	}
	return out;
}

static void add_trial(struct differences *d, const char *variant, const json_t *base, const json_t *new)
{
	static const char *const of_fs[] = { "type", "block_size", "features" };
	const json_t *a = json_object_get(base, "filesystem"), *b = json_object_get(new, "filesystem");
	_cleanup_free_ char *geometry = xasprintf("%s: file system's", variant);
	_cleanup_free_ char *mount = xasprintf("%s: mount options", variant);
	_cleanup_free_ char *queue = xasprintf("%s: device setting", variant);

	for (size_t i = 0; i < ARRAY_SIZE(of_fs); i++) {
		_cleanup_free_ char *what = xasprintf("%s: file system's %s", variant, of_fs[i]);

		add(d, what, json_object_get(a, of_fs[i]), json_object_get(b, of_fs[i]), true);
	}
	add_members(d, geometry, json_object_get(a, "geometry"), json_object_get(b, "geometry"), true);
	add(d, mount, json_object_get(json_object_get(a, "mount"), "options"),
	    json_object_get(json_object_get(b, "mount"), "options"), true);
	add_members(d, queue, json_object_get(base, "device_settings"), json_object_get(new, "device_settings"), true);
}

/* {name: version} of the plugins used. */
static json_t *plugin_versions(const json_t *doc)
{
	json_t *out = js_object(), *p;
	size_t i;

	json_array_foreach(json_object_get(doc, "plugins"), i, p)
	{
		js_set(out, js_get_str(p, "name", ""), json_incref(json_object_get(p, "version")));
	}
	return out;
}

void comparable_find(const json_t *base, const json_t *new, struct differences *d)
{
	_cleanup_json_ json_t *pb = plugin_versions(base), *pn = plugin_versions(new);
	_cleanup_json_ json_t *cb = conditions(base), *cn = conditions(new);
	bool directory = is_directory(base) && is_directory(new);
	const char *key;
	json_t *trial;

	*d = (struct differences){ 0 };
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		if (!directory || !str_eq(fields[i].path, "session.target.size_bytes"))
			add(d, fields[i].what, lookup(base, fields[i].path), lookup(new, fields[i].path),
			    fields[i].confounding);
	add_members(d, "version of", lookup(base, "environment.tools"), lookup(new, "environment.tools"), false);
	add_members(d, "version of plugin", pb, pn, true);
	json_object_foreach(cb, key, trial)
	{
		const json_t *other = json_object_get(cn, key);

		if (other)
			add_trial(d, key, trial, other);
	}
}

void comparable_release(struct differences *d)
{
	for (size_t i = 0; i < d->n; i++) {
		free(d->v[i].what);
		free(d->v[i].base);
		free(d->v[i].new);
	}
	free(d->v);
	*d = (struct differences){ 0 };
}
