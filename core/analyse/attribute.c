/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A change on one file system, or on all. */
#include "core/analyse/attribute.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/util/json.h"
#include "core/util/str.h"
#include "core/util/strbuf.h"
#include "core/util/strmap.h"
#include "core/util/xalloc.h"

enum { MAX_KINDS = 16 };

static const char raw_device[] = "raw device";

/* What came out on one file system. */
struct side {
	const char *name;
	size_t worse, better, unsettled, cells;
	double most; /* ratio of the largest change */
};

/* The same measurement on all of them. */
struct group {
	const char *name;
	struct side kinds[MAX_KINDS];
	size_t n;
};

struct work {
	const struct comparison *v;
	size_t n;
	json_t **values; /* of each */
	struct strmap own; /* factors that say which file system it is */
	struct strmap index; /* name -> number of a group */
	struct group *groups;
	size_t n_groups;
};

static const char *kind_of(const struct comparison *c)
{
	return *c->base->fs ? c->base->fs : raw_device;
}

static bool has_kinds(const struct comparison *v, size_t n)
{
	const char *first = NULL;

	for (size_t i = 0; i < n; i++) {
		if (!v[i].gated)
			continue;
		if (first && !str_eq(first, kind_of(&v[i])))
			return true;
		first = kind_of(&v[i]);
	}
	return false;
}

/* ---- factors that choose the file system ---- */

/* Has every value of the factor always the same file system? */
static bool factor_chooses(const struct work *w, const char *factor)
{
	struct strmap seen = { 0 };
	bool chooses = true;

	for (size_t i = 0; i < w->n && chooses; i++) {
		const json_t *v = json_object_get(w->values[i], factor);
		_cleanup_free_ char *text = v ? js_dump(v) : NULL;
		struct strmap_entry *e;

		if (!text || !w->v[i].gated)
			continue;
		e = strmap_add(&seen, text, strlen(text), NULL);
		chooses = !e->value || str_eq((const char *)e->value, kind_of(&w->v[i]));
		e->value = (uintptr_t)kind_of(&w->v[i]);
	}
	strmap_free(&seen);
	return chooses;
}

static void find_factors(struct work *w)
{
	const char *factor;
	json_t *v;

	w->values = xcalloc(w->n + 1, sizeof(json_t *));
	for (size_t i = 0; i < w->n; i++) {
		w->values[i] = json_loads(w->v[i].base->values, JSON_DECODE_ANY, NULL);
		json_object_foreach(w->values[i], factor, v)
		{
			strmap_add(&w->own, factor, strlen(factor), NULL);
		}
	}
	for (size_t i = 0; i < w->own.cap; i++)
		if (w->own.slots[i])
			w->own.slots[i]->value = factor_chooses(w, w->own.slots[i]->key);
}

/* "write.throughput bs=4KiB": all but the file system. */
static char *group_name(const struct work *w, size_t i)
{
	struct strbuf sb = STRBUF_INIT;
	const char *factor;
	json_t *v;

	strbuf_addf(&sb, "%s.%s", w->v[i].base->step, w->v[i].base->metric);
	json_object_foreach(w->values[i], factor, v)
	{
		_cleanup_free_ char *text = json_is_string(v) ? xstrdup(json_string_value(v)) : js_dump(v);

		if (!strmap_find(&w->own, factor, strlen(factor))->value)
			strbuf_addf(&sb, " %s=%s", factor, text);
	}
	return strbuf_steal(&sb);
}

/* ---- counting ---- */

static struct side *side_of(struct group *g, const char *kind)
{
	size_t i = 0;

	while (i < g->n && !str_eq(g->kinds[i].name, kind))
		i++;
	if (i == MAX_KINDS)
		return NULL;
	if (i == g->n)
		g->kinds[g->n++] = (struct side){ .name = kind, .most = 1 };
	return &g->kinds[i];
}

static void count_cell(struct group *g, const struct comparison *c)
{
	struct side *s = side_of(g, kind_of(c));

	if (!s)
		return;
	s->cells++;
	s->worse += c->verdict == VERDICT_REGRESSED;
	s->better += c->verdict == VERDICT_IMPROVED;
	s->unsettled += c->verdict == VERDICT_SUSPECT || c->verdict == VERDICT_INCONCLUSIVE ||
			c->verdict == VERDICT_NO_RATIO;
	if (!isnan(c->ratio) && fabs(log(c->ratio)) > fabs(log(s->most)))
		s->most = c->ratio;
}

static void find_groups(struct work *w)
{
	for (size_t i = 0; i < w->n; i++) {
		_cleanup_free_ char *name = NULL;
		struct strmap_entry *e;

		if (!w->v[i].gated)
			continue;
		name = group_name(w, i);
		e = strmap_add(&w->index, name, strlen(name), NULL);
		if (!e->value) {
			w->groups = xreallocarray(w->groups, w->n_groups + 1, sizeof(*w->groups));
			w->groups[w->n_groups++] = (struct group){ .name = e->key };
			e->value = w->n_groups;
		}
		count_cell(&w->groups[e->value - 1], &w->v[i]);
	}
}

/* ---- saying it ---- */

enum { LIST_CHANGED, LIST_SETTLED, LIST_UNSETTLED };

static int list_of(const struct side *s, bool worse)
{
	if (worse ? s->worse : s->better)
		return LIST_CHANGED;
	return s->unsettled ? LIST_UNSETTLED : LIST_SETTLED;
}

/* "xfs (-12.1 %) and ext4 (-11.8 %)"; how many. */
static size_t add_list(struct strbuf *sb, const struct group *g, bool worse, int list)
{
	size_t all = 0, n = 0;

	for (size_t i = 0; i < g->n; i++)
		all += list_of(&g->kinds[i], worse) == list;
	for (size_t i = 0; i < g->n; i++) {
		const struct side *s = &g->kinds[i];

		if (list_of(s, worse) != list)
			continue;
		n++;
		strbuf_addf(sb, "%s%s", n == 1 ? "" : n == all ? " and " : ", ", s->name);
		if (list == LIST_CHANGED)
			strbuf_addf(sb, " (%+.1f %%)", 100 * (s->most - 1));
	}
	return n;
}

/* Is the largest change of all more than double the smallest? */
static const struct side *stands_out(const struct group *g)
{
	const struct side *most = &g->kinds[0];
	double least = INFINITY;

	for (size_t i = 0; i < g->n; i++) {
		least = fmin(least, fabs(log(g->kinds[i].most)));
		if (fabs(log(g->kinds[i].most)) > fabs(log(most->most)))
			most = &g->kinds[i];
	}
	return fabs(log(most->most)) > 2 * least ? most : NULL;
}

static char *group_line(const struct group *g, bool worse)
{
	_cleanup_strbuf_ struct strbuf changed = STRBUF_INIT, settled = STRBUF_INIT, unsettled = STRBUF_INIT;
	struct strbuf sb = STRBUF_INIT;
	size_t n = add_list(&changed, g, worse, LIST_CHANGED), s = add_list(&settled, g, worse, LIST_SETTLED);
	size_t u = add_list(&unsettled, g, worse, LIST_UNSETTLED);
	const struct side *most = n == g->n ? stands_out(g) : NULL;

	if (!n || g->n < 2)
		return NULL;
	strbuf_addf(&sb, "%s: ", g->name);
	if (n == g->n)
		strbuf_addstr(&sb, "not file-system specific: ");
	strbuf_addf(&sb, "%s%s got %s", strbuf_str(&changed), n == 1 && !u ? " alone" : "", worse ? "worse" : "better");
	if (most)
		strbuf_addf(&sb, ", %s more than twice as much as others", most->name);
	if (s)
		strbuf_addf(&sb, "; %s did not", strbuf_str(&settled));
	if (u)
		strbuf_addf(&sb, "; not settled: %s", strbuf_str(&unsettled));
	return strbuf_steal(&sb);
}

static void put_line(struct attribution *a, char *line)
{
	if (!line)
		return;
	a->lines = xreallocarray(a->lines, a->n + 1, sizeof(*a->lines));
	a->lines[a->n++] = line;
}

void attribute_find(const struct comparison *v, size_t n, struct attribution *a)
{
	struct work w = { .v = v, .n = n };

	*a = (struct attribution){ 0 };
	if (!has_kinds(v, n))
		return;
	find_factors(&w);
	find_groups(&w);
	for (size_t i = 0; i < w.n_groups; i++) {
		put_line(a, group_line(&w.groups[i], true));
		put_line(a, group_line(&w.groups[i], false));
	}
	for (size_t i = 0; i < n; i++)
		json_decref(w.values[i]);
	free(w.values);
	free(w.groups);
	strmap_free(&w.own);
	strmap_free(&w.index);
}

void attribute_release(struct attribution *a)
{
	for (size_t i = 0; i < a->n; i++)
		free(a->lines[i]);
	free(a->lines);
	*a = (struct attribution){ 0 };
}
