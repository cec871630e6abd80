/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Is a table of parameters sound? Asked once, when a plugin is loaded. */
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "core/param/number.h"
#include "core/param/param.h"
#include "core/param/param_parse.h"
#include "core/util/str.h"
#include "core/util/xalloc.h"

/* Names in defaults and bounds stand for something while a table is checked. */
static const struct param_names param_check_names = { 1ULL << 34, 4, 1ULL << 40, 1 };

static bool param_name_is_good(const char *name)
{
	return name && *name >= 'a' && *name <= 'z' &&
	       !name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_")];
}

/* Are name and alias of entry i used before? */
static int param_check_unique(const struct param_layer *l, uint32_t i, const struct fst_param *p,
			      struct err *e)
{
	struct param_layer before = *l;
	uint32_t at;

	before.n = i;
	if (!param_find(&before, p->name, &at))
		return err_set(e, EINVAL, "%s: parameter \"%s\" is there twice", l->owner, p->name);
	if (p->alias && (!param_find(&before, p->alias, &at) || str_eq(p->alias, p->name)))
		return err_set(e, EINVAL, "%s: parameter \"%s\": alias \"%s\" is there twice",
			       l->owner, p->name, p->alias);
	return 0;
}

static int param_check_choices(const struct param_layer *l, const struct fst_param *p,
			       struct err *e)
{
	if (p->type != FST_ENUM) {
		if (p->n_choices)
			return err_set(e, EINVAL, "%s: parameter \"%s\" has choices but is no enum",
				       l->owner, p->name);
		return 0;
	}
	if (!p->n_choices || !p->choices || p->choice_size < offsetof(struct fst_choice, doc))
		return err_set(e, EINVAL, "%s: parameter \"%s\" has no choices", l->owner, p->name);
	for (uint32_t i = 0; i < p->n_choices; i++) {
		struct fst_choice c;

		param_choice(p, i, &c);
		if (!c.name || !*c.name)
			return err_set(e, EINVAL, "%s: parameter \"%s\": choice %u has no name",
				       l->owner, p->name, i + 1);
		if (!c.doc || !*c.doc)
			return err_set(e, EINVAL, "%s: parameter \"%s\": choice \"%s\" has no doc",
				       l->owner, p->name, c.name);
		if (param_find_choice(p, c.name) != (int)i)
			return err_set(e, EINVAL,
				       "%s: parameter \"%s\": choice \"%s\" is there twice",
				       l->owner, p->name, c.name);
	}
	return 0;
}

/* Does text pass as a value of p? what: "default" and so on. */
static int param_check_value(const struct param_layer *l, const struct fst_param *p,
			     const char *what, const char *text, struct err *e)
{
	_cleanup_strbuf_ struct strbuf why = STRBUF_INIT;
	_cleanup_free_ char *copy = text ? xstrdup(text) : NULL;
	struct value v = { .type = VALUE_STR, .u.s = copy };
	struct param_arena a = { 0 };
	union {
		uint64_t u;
		double f;
		struct fst_list list;
	} dst;
	int ret;

	if (!text)
		return 0;
	ret = param_parse(p, &v, &param_check_names, NULL, &a, &dst, &why);
	param_arena_free(&a);
	if (ret)
		return err_set(e, EINVAL, "%s: parameter \"%s\": %s is wrong: %s", l->owner,
			       p->name, what, strbuf_str(&why));
	return 0;
}

static int param_check_bounds(const struct param_layer *l, const struct fst_param *p, struct err *e)
{
	bool has_range = p->type == FST_I64 || p->type == FST_U64 || p->type == FST_F64 ||
			 p->type == FST_SIZE || p->type == FST_TIME;
	struct fst_param free_p = *p;
	int ret;

	if (!has_range && (p->min || p->max))
		return err_set(e, EINVAL, "%s: parameter \"%s\": a %s has no bounds", l->owner,
			       p->name, param_type_name(p->type));
	free_p.min = free_p.max = NULL;
	ret = param_check_value(l, &free_p, "min", p->min, e);
	if (!ret)
		ret = param_check_value(l, &free_p, "max", p->max, e);
	/* Then max may not be under min, nor the default outside. */
	if (!ret)
		ret = param_check_value(l, p, "max", p->max, e);
	if (!ret)
		ret = param_check_value(l, p, "default", p->def, e);
	return ret;
}

static int param_check_entry(const struct param_layer *l, uint32_t i, size_t cfg_size,
			     struct err *e)
{
	struct fst_param p;
	size_t size;
	int ret;

	param_entry(l, i, &p);
	if (!param_name_is_good(p.name))
		return err_set(
			e, EINVAL,
			"%s: parameter %u: its name \"%s\" is not of the form [a-z][a-z0-9_]*",
			l->owner, i + 1, p.name ? p.name : "");
	if (p.alias && !param_name_is_good(p.alias))
		return err_set(
			e, EINVAL,
			"%s: parameter \"%s\": alias \"%s\" is not of the form [a-z][a-z0-9_]*",
			l->owner, p.name, p.alias);
	ret = param_check_unique(l, i, &p, e);
	if (ret)
		return ret;
	if (!p.doc || !*p.doc)
		return err_set(e, EINVAL, "%s: parameter \"%s\" has no doc", l->owner, p.name);
	size = param_type_size(p.type);
	if (!size)
		return err_set(e, EINVAL, "%s: parameter \"%s\": unknown type %u", l->owner, p.name,
			       p.type);
	if (p.size && p.size != size)
		return err_set(e, EINVAL,
			       "%s: parameter \"%s\": its field has %u bytes, a field of type %s takes %zu", l->owner,
			       p.name, p.size, param_type_name(p.type), size);
	if (p.offset > cfg_size || cfg_size - p.offset < size)
		return err_set(e, EINVAL,
			       "%s: parameter \"%s\": offset %zu is outside of the configuration's "
			       "%zu bytes",
			       l->owner, p.name, p.offset, cfg_size);
	if (p.offset % (p.type == FST_LIST ? sizeof(void *) : size))
		return err_set(e, EINVAL,
			       "%s: parameter \"%s\": offset %zu is not aligned for a %s", l->owner,
			       p.name, p.offset, param_type_name(p.type));
	if ((p.flags & FST_REQUIRED) && p.def)
		return err_set(e, EINVAL, "%s: parameter \"%s\" is required and has a default",
			       l->owner, p.name);
	ret = param_check_choices(l, &p, e);
	return ret ? ret : param_check_bounds(l, &p, e);
}

/* Do two entries write to the same bytes? */
static int param_check_overlap(const struct param_layer *l, struct err *e)
{
	for (uint32_t i = 0; i < l->n; i++) {
		for (uint32_t k = 0; k < i; k++) {
			struct fst_param a, b;

			param_entry(l, i, &a);
			param_entry(l, k, &b);
			if (a.offset < b.offset + param_type_size(b.type) &&
			    b.offset < a.offset + param_type_size(a.type))
				return err_set(e, EINVAL,
					       "%s: parameters \"%s\" and \"%s\" share bytes",
					       l->owner, b.name, a.name);
		}
	}
	return 0;
}

int param_check_table(const char *owner, const void *table, uint32_t n, uint32_t stride,
		      size_t cfg_size, struct err *e)
{
	struct param_layer l = { .owner = owner, .table = table, .n = n, .stride = stride };

	if (n && !table)
		return err_set(e, EINVAL, "%s: no table of parameters", owner);
	if (n && stride < offsetof(struct fst_param, doc) + sizeof(char *))
		return err_set(e, EINVAL,
			       "%s: entries of the table of parameters are too short (%u bytes)",
			       owner, stride);
	for (uint32_t i = 0; i < n; i++) {
		int ret = param_check_entry(&l, i, cfg_size, e);

		if (ret)
			return ret;
	}
	return param_check_overlap(&l, e);
}
