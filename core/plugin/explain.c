/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Why a plugin that a job asks for is not there. */
#include <stdio.h>

#include "core/plugin/registry.h"
#include "core/plugin/search.h"
#include "core/util/str.h"
#include "core/util/strbuf.h"
#include "core/util/xalloc.h"

/* A file that should have been it. All of them: two of the same directory are refused together. */
static bool explain_refused(const struct registry *reg, uint32_t kind, const char *name,
			    struct strbuf *sb)
{
	bool found = false;

	for (size_t i = 0; i < reg->n_refused; i++) {
		if (!search_file_is(reg->refused[i].file, kind, name))
			continue;
		strbuf_addf(sb, "%s%s: %s", found ? "; " : "", reg->refused[i].file,
			    reg->refused[i].reason);
		found = true;
	}
	return found;
}

static bool explain_other_kind(const struct registry *reg, uint32_t kind, const char *name,
			       struct strbuf *sb)
{
	for (size_t i = 0; i < reg->n; i++) {
		uint32_t other = reg->v[i]->desc.kind;

		if (other == kind || !str_eq(reg->v[i]->desc.name, name))
			continue;
		strbuf_addf(sb, "\"%s\" is of kind %s, not %s", name, plugin_kind_name(other),
			    plugin_kind_name(kind));
		return true;
	}
	return false;
}

static void explain_near(const struct registry *reg, uint32_t kind, const char *name,
			 struct strbuf *sb)
{
	_cleanup_free_ const char **names = xcalloc(reg->n + 1, sizeof(*names));
	const char *near;
	size_t n = 0;

	for (size_t i = 0; i < reg->n; i++) {
		if (reg->v[i]->desc.kind == kind)
			names[n++] = reg->v[i]->desc.name;
	}
	near = str_nearest(name, names, n);
	strbuf_addf(sb, "there is no %s \"%s\"", plugin_kind_name(kind), name);
	if (near)
		strbuf_addf(sb, ", did you mean \"%s\"?", near);
	else if (n)
		strbuf_addstr(sb, "; there are: ");
	else
		strbuf_addf(sb, ", nor any other %s; searched: ", plugin_kind_name(kind));
	for (size_t i = 0; !near && i < n; i++)
		strbuf_addf(sb, "%s%s", i ? ", " : "", names[i]);
	for (size_t i = 0; !near && !n && i < reg->n_dirs; i++)
		strbuf_addf(sb, "%s%s", i ? ", " : "", reg->dirs[i]);
	if (!near && !n && !reg->n_dirs)
		strbuf_addstr(sb, "no directory");
}

const char *registry_explain(const struct registry *reg, enum fst_kind kind, const char *name,
			     char *buf, size_t size)
{
	_cleanup_strbuf_ struct strbuf sb = STRBUF_INIT;

	if (!explain_refused(reg, kind, name, &sb) && !explain_other_kind(reg, kind, name, &sb))
		explain_near(reg, kind, name, &sb);
	snprintf(buf, size, "%s", strbuf_str(&sb));
	return buf;
}
