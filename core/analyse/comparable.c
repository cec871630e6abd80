/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The differences between two lists of conditions, each said once for all variants that it is in. */
#include "core/analyse/comparable.h"

#include <stdlib.h>
#include <string.h>

#include "core/util/json.h"
#include "core/util/str.h"
#include "core/util/strbuf.h"
#include "core/util/xalloc.h"

enum { NAMED_VARIANTS = 3 };

static const char unknown[] = "(unknown)";

static void put(struct differences *d, char *what, char *base, char *new, bool confounding)
{
	d->v = xreallocarray(d->v, d->n + 1, sizeof(*d->v));
	d->v[d->n++] = (struct difference){ what, base, new, confounding };
	d->confounding += confounding;
}

/* ---- sets of features ---- */

static bool has(const json_t *set, const json_t *name)
{
	json_t *v;
	size_t i;

	json_array_foreach(set, i, v)
	{
		if (json_equal(v, (json_t *)name))
			return true;
	}
	return false;
}

/* The names of all that is in only one of the sets, with "no" before those that own has not. */
static char *feature_text(const json_t *own, const json_t *other)
{
	struct strbuf sb = STRBUF_INIT;
	json_t *v;
	size_t i;

	json_array_foreach(own, i, v)
	{
		if (!has(other, v))
			strbuf_addf(&sb, "%s%s", sb.len ? ", " : "", json_string_value(v));
	}
	json_array_foreach(other, i, v)
	{
		if (!has(own, v))
			strbuf_addf(&sb, "%sno %s", sb.len ? ", " : "", json_string_value(v));
	}
	return strbuf_steal(&sb);
}

/* Of two lists, what is not in both; else the texts as they are. */
static void side_texts(const char *a, const char *b, char **base, char **new)
{
	_cleanup_json_ json_t *x = a[0] == '[' ? json_loads(a, 0, NULL) : NULL;
	_cleanup_json_ json_t *y = b[0] == '[' ? json_loads(b, 0, NULL) : NULL;

	*base = x && y ? feature_text(x, y) : xstrdup(a);
	*new = x && y ? feature_text(y, x) : xstrdup(b);
	if (str_eq(*base, *new)) { /* only their order differs */
		free(*base);
		free(*new);
		*base = xstrdup(a);
		*new = xstrdup(b);
	}
}

/* ---- folding over variants ---- */

/* The same difference in several variants. */
struct fold {
	const char *what, *base, *new;
	bool confounding;
	struct strbuf names;
	size_t n;
};

struct folds {
	struct fold *v;
	size_t n;
	struct strmap index;
	size_t variants; /* that both have */
};

static void fold_add(struct folds *f, const struct fact *a, const char *base, const char *new)
{
	const void *key[] = { a->what, base, new };
	struct strmap_entry *e = strmap_add(&f->index, key, sizeof(key), NULL);
	struct fold *fold;

	if (!e->value) {
		f->v = xreallocarray(f->v, f->n + 1, sizeof(*f->v));
		f->v[f->n++] = (struct fold){ a->what, base, new, a->confounding, STRBUF_INIT, 0 };
		e->value = f->n;
	}
	fold = &f->v[e->value - 1];
	if (fold->n++ < NAMED_VARIANTS)
		strbuf_addf(&fold->names, "%s%s", fold->names.len ? ", " : "", *a->variant ? a->variant : "");
}

static void folds_put(struct folds *f, struct differences *d)
{
	for (size_t i = 0; i < f->n; i++) {
		struct fold *o = &f->v[i];
		const char *names = strbuf_str(&o->names);
		char *what, *base, *new;

		if (o->n == f->variants)
			what = o->n == 1 ? xstrdup(o->what) : xasprintf("all %zu variants: %s", o->n, o->what);
		else if (o->n == 1)
			what = xasprintf("%s: %s", names, o->what);
		else
			what = xasprintf("%zu of %zu variants (%s%s): %s", o->n, f->variants, names,
					 o->n > NAMED_VARIANTS ? ", ..." : "", o->what);
		side_texts(o->base, o->new, &base, &new);
		put(d, what, base, new, o->confounding);
		strbuf_free(&o->names);
	}
	free(f->v);
	strmap_free(&f->index);
}

/* ---- two lists ---- */

/* What a condition is called: texts are the pool's, so that their places are enough. */
struct fact_id {
	const char *variant, *what;
};

struct side {
	const struct facts *f;
	struct strmap index; /* id -> number in f, from 1; and of each variant one entry; made when it is needed */
	bool indexed;
};

static const struct strmap_entry *side_find(struct side *s, const char *variant, const char *what)
{
	const struct fact_id wanted = { variant, what };

	for (size_t i = 0; !s->indexed && i < s->f->n; i++) {
		const struct fact_id id = { s->f->v[i].variant, s->f->v[i].what }, of_variant = { s->f->v[i].variant, NULL };

		strmap_add(&s->index, &id, sizeof(id), NULL)->value = i + 1;
		strmap_add(&s->index, &of_variant, sizeof(of_variant), NULL)->value = 1;
	}
	s->indexed = true;
	return strmap_find(&s->index, &wanted, sizeof(wanted));
}

static bool has_variant(struct side *s, const char *variant)
{
	return !variant || side_find(s, variant, NULL);
}

static const char *text_in(struct side *s, const char *variant, const char *what)
{
	const struct strmap_entry *e = side_find(s, variant, what);

	return e ? s->f->v[e->value - 1].text : unknown;
}

/* Where a variant says nothing, what is said of all holds; and what differs there just as it does in all, is told there. */
static void difference_add(struct differences *d, struct folds *f, const struct fact *a, struct side *of_base,
			   struct side *of_new, const char *base, const char *new)
{
	const char *all_base, *all_new;
	char *x, *y;

	if (base == new)
		return;
	if (!a->variant) {
		side_texts(base, new, &x, &y);
		put(d, xstrdup(a->what), x, y, a->confounding);
		return;
	}
	all_base = text_in(of_base, NULL, a->what);
	all_new = text_in(of_new, NULL, a->what);
	base = base == unknown ? all_base : base;
	new = new == unknown ? all_new : new;
	if (base != new && (base != all_base || new != all_new))
		fold_add(f, a, base, new);
}

static size_t variants_of_both(const struct facts *f, struct side *other)
{
	const char *last = NULL;
	size_t n = 0;

	for (size_t i = 0; i < f->n; i++) {
		if (f->v[i].variant && f->v[i].variant != last)
			n += has_variant(other, f->v[i].variant);
		last = f->v[i].variant;
	}
	return n;
}

static void find_by_name(struct side *base, struct side *new, struct folds *folds, struct differences *d)
{
	for (size_t i = 0; i < base->f->n; i++) {
		const struct fact *a = &base->f->v[i];

		if (has_variant(new, a->variant))
			difference_add(d, folds, a, base, new, a->text, text_in(new, a->variant, a->what));
	}
	for (size_t i = 0; i < new->f->n; i++) {
		const struct fact *b = &new->f->v[i];

		if (has_variant(base, b->variant) && text_in(base, b->variant, b->what) == unknown)
			difference_add(d, folds, b, base, new, unknown, b->text);
	}
}

/* Are both lists of the same conditions? Nearly always, and then nothing has to be looked up. */
static bool same_names(const struct facts *a, const struct facts *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (a->v[i].variant != b->v[i].variant || a->v[i].what != b->v[i].what)
			return false;
	return true;
}

void comparable_find(const struct facts *base, const struct facts *new, struct differences *d)
{
	struct side of_base = { .f = base }, of_new = { .f = new };
	struct folds folds = { 0 };

	*d = (struct differences){ 0 };
	if (same_names(base, new)) {
		for (size_t i = 0; i < base->n; i++)
			difference_add(d, &folds, &base->v[i], &of_base, &of_new, base->v[i].text, new->v[i].text);
	} else {
		find_by_name(&of_base, &of_new, &folds, d);
	}
	folds.variants = folds.n ? variants_of_both(base, &of_new) : 0;
	folds_put(&folds, d);
	strmap_free(&of_base.index);
	strmap_free(&of_new.index);
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
