/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All plugins that were found, those that can be used and those that cannot. */
#include "core/plugin/registry.h"

#include <errno.h>
#include <string.h>

#include "core/plugin/open.h"
#include "core/plugin/search.h"
#include "core/util/sha256.h"
#include "core/util/str.h"
#include "core/util/vec.h"
#include "core/util/xalloc.h"

typedef VEC(struct plugin *) registry_plugins;

struct registry_build {
	registry_plugins all;
	VEC(struct registry_refusal) refused;
};

static void registry_refuse(struct registry_build *b, const char *file, const char *reason)
{
	struct registry_refusal r = { xstrdup(file), xstrdup(reason) };

	vec_push(&b->refused, r);
}

static bool registry_same(const struct plugin *a, const struct plugin *b)
{
	return a->desc.kind == b->desc.kind && str_eq(a->desc.name, b->desc.name);
}

/* Was it found, or refused, in an earlier directory? n_refused: those of earlier ones. */
static bool registry_is_hidden(const struct registry_build *b, size_t n_refused,
			       const struct plugin *p)
{
	for (size_t i = 0; i < b->all.n; i++) {
		if (registry_same(b->all.v[i], p))
			return true;
	}
	for (size_t i = 0; i < n_refused; i++) {
		if (search_file_is(b->refused.v[i].file, p->desc.kind, p->desc.name))
			return true;
	}
	return false;
}

/* Another file of the same directory with the same plugin, or NULL. */
static const struct plugin *registry_double(const registry_plugins *here, const struct plugin *p)
{
	for (size_t i = 0; i < here->n; i++) {
		if (here->v[i] != p && registry_same(here->v[i], p))
			return here->v[i];
	}
	return NULL;
}

/* Takes over what was found in one directory. n_refused: refusals of earlier directories. */
static void registry_merge(struct registry_build *b, registry_plugins *here, size_t n_refused)
{
	registry_plugins dropped = VEC_INIT, kept = VEC_INIT;

	for (size_t i = 0; i < here->n; i++) {
		struct plugin *p = here->v[i];
		const struct plugin *other = registry_double(here, p);

		if (other) {
			_cleanup_free_ char *reason = xasprintf("the %s \"%s\" is also in %s",
								plugin_kind_name(p->desc.kind),
								p->desc.name, other->file);

			registry_refuse(b, p->file, reason);
		}
		if (other || registry_is_hidden(b, n_refused, p))
			vec_push(&dropped, p);
		else
			vec_push(&kept, p);
	}
	for (size_t i = 0; i < kept.n; i++)
		vec_push(&b->all, kept.v[i]);
	for (size_t i = 0; i < dropped.n; i++)
		plugin_free(dropped.v[i]);
	vec_free(&kept);
	vec_free(&dropped);
	vec_free(here);
}

static int registry_add_dir(struct registry_build *b, const char *dir, struct err *e)
{
	const size_t n_refused = b->refused.n;
	registry_plugins here = VEC_INIT;
	char **files;
	size_t n;
	int ret = search_files(dir, &files, &n, e);

	if (ret)
		return ret;
	for (size_t i = 0; i < n; i++) {
		struct err why = { 0 };
		struct plugin *p;

		if (plugin_open(files[i], &p, &why))
			registry_refuse(b, files[i], why.text);
		else
			vec_push(&here, p);
	}
	registry_merge(b, &here, n_refused);
	str_freev(files);
	return 0;
}

static int registry_compare(const void *va, const void *vb)
{
	const struct plugin *a = *(struct plugin *const *)va, *b = *(struct plugin *const *)vb;

	if (a->desc.kind != b->desc.kind)
		return a->desc.kind < b->desc.kind ? -1 : 1;
	return strcmp(a->desc.name, b->desc.name);
}

int registry_load(const char *const *dirs, size_t n_dirs, struct registry *reg, struct err *e)
{
	struct registry_build b = { 0 };
	int ret;

	memset(reg, 0, sizeof(*reg));
	ret = search_dirs(dirs, n_dirs, &reg->dirs, &reg->n_dirs, e);
	for (size_t i = 0; !ret && i < reg->n_dirs; i++)
		ret = registry_add_dir(&b, reg->dirs[i], e);
	if (b.all.n)
		qsort(b.all.v, b.all.n, sizeof(*b.all.v), registry_compare);
	reg->v = b.all.v;
	reg->n = b.all.n;
	reg->refused = b.refused.v;
	reg->n_refused = b.refused.n;
	if (ret)
		registry_release(reg);
	return ret;
}

void registry_release(struct registry *reg)
{
	for (size_t i = 0; i < reg->n; i++)
		plugin_free(reg->v[i]);
	for (size_t i = 0; i < reg->n_refused; i++) {
		free(reg->refused[i].file);
		free(reg->refused[i].reason);
	}
	free(reg->v);
	free(reg->refused);
	str_freev(reg->dirs);
	memset(reg, 0, sizeof(*reg));
}

const struct plugin *registry_find(const struct registry *reg, enum fst_kind kind, const char *name)
{
	for (size_t i = 0; i < reg->n; i++) {
		if (reg->v[i]->desc.kind == kind && str_eq(reg->v[i]->desc.name, name))
			return reg->v[i];
	}
	return NULL;
}

const char *plugin_sha256(const struct plugin *p)
{
	/* A cache, and every plugin is memory of plugin_open(), never a constant. */
	struct plugin *cache = (struct plugin *)(uintptr_t)p;
	struct err ignored = { 0 };

	if (!cache->sha256[0] && sha256_file_hex(p->file, cache->sha256, &ignored))
		cache->sha256[0] = '\0';
	return p->sha256;
}
