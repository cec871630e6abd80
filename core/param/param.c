/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Typed parameters from const tables. */
#include "core/param/param.h"

#include <errno.h>
#include <string.h>

#include "core/param/param_parse.h"
#include "core/util/str.h"

void param_entry(const struct param_layer *l, uint32_t i, struct fst_param *out)
{
	memset(out, 0, sizeof(*out));
	memcpy(out, (const char *)l->table + (size_t)i * l->stride,
	       MIN((size_t)l->stride, sizeof(*out)));
}

/* For the fields that every ABI has: without the copy, which counts where names are looked for. */
static const struct fst_param *param_at(const struct param_layer *l, uint32_t i)
{
	return (const void *)((const char *)l->table + (size_t)i * l->stride);
}

void param_set_defaults(struct param_layer *l, const struct param_names *names,
			struct param_arena *a)
{
	_cleanup_strbuf_ struct strbuf why = STRBUF_INIT;

	for (uint32_t i = 0; i < l->n; i++) {
		struct value def = { .type = VALUE_STR };
		struct fst_param p;

		if (!param_at(l, i)->def)
			continue;
		param_entry(l, i, &p);
		/* A constant that is only read. The table was checked when it was loaded. */
		def.u.s = (char *)(uintptr_t)p.def;
		p.min = p.max = NULL;
		if (param_parse(&p, &def, names, NULL, a, (char *)l->base + p.offset, &why))
			strbuf_truncate(&why, 0);
	}
}

int param_find(const struct param_layer *l, const char *name, uint32_t *i)
{
	for (uint32_t k = 0; k < l->n; k++) {
		const struct fst_param *p = param_at(l, k);

		if (strcmp(p->name, name) == 0 || (p->alias && strcmp(p->alias, name) == 0)) {
			*i = k;
			return 0;
		}
	}
	return -ENOENT;
}

int param_set(struct param_layer *l, uint32_t i, const struct value *v,
	      const struct param_names *names, const char *dir, struct param_arena *a,
	      struct diag *d)
{
	_cleanup_strbuf_ struct strbuf why = STRBUF_INIT;
	struct fst_param p;

	if (v->bad)
		return -EINVAL;
	param_entry(l, i, &p);
	if (param_parse(&p, v, names, dir, a, (char *)l->base + p.offset, &why)) {
		diag_add(d, v->file, v->line, "%s", strbuf_str(&why));
		return -EINVAL;
	}
	l->given[i / 64] |= 1ULL << (i % 64);
	return 0;
}

int param_missing(const struct param_layer *l)
{
	for (uint32_t i = 0; i < l->n; i++) {
		if ((param_at(l, i)->flags & FST_REQUIRED) && !param_is_given(l, i))
			return (int)i;
	}
	return -1;
}

bool param_is_given(const struct param_layer *l, uint32_t i)
{
	return l->given[i / 64] >> (i % 64) & 1;
}
