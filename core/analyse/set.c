/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A side of a comparison, from the files it is in. */
#include "core/analyse/set.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/analyse/gather.h"
#include "core/record/result.h"
#include "core/util/file.h"
#include "core/util/str.h"
#include "core/util/vec.h"
#include "core/util/version.h"

static int load_document(struct set *s, const char *path, struct err *e)
{
	char *text = NULL;
	size_t len;
	int r = result_text(path, &text, &len, e);

	if (r == 0)
		r = gather_text(s, text, len, path, e);
	free(text);
	return r;
}

/* ---- a directory of results ---- */

struct names {
	VEC(char *) v;
	const char *dir;
};

static int add_name(const char *name, void *arg)
{
	struct names *names = arg;
	_cleanup_free_ char *path = xasprintf("%s/%s", names->dir, name);

	if (result_is_at(path))
		vec_push(&names->v, xstrdup(name));
	return 0;
}

static int name_order(const void *a, const void *b)
{
	const char *x = *(char *const *)a, *y = *(char *const *)b;
	int r = version_compare(x, y);

	return r ? r : strcmp(x, y);
}

static int load_directory(struct set *s, const char *dir, struct err *e)
{
	struct names names = { .dir = dir };
	int r = dir_each(dir, add_name, &names);

	if (r < 0)
		r = err_sys(e, -r, "%s", dir);
	else if (!names.v.n)
		r = err_set(e, ENOENT, "%s is no result (neither result.json nor journal.jsonl), and holds none", dir);
	if (names.v.n)
		qsort(names.v.v, names.v.n, sizeof(*names.v.v), name_order);
	for (size_t i = 0; i < names.v.n; i++) {
		_cleanup_free_ char *path = xasprintf("%s/%s", dir, names.v.v[i]);

		if (r == 0)
			r = load_document(s, path, e);
		free(names.v.v[i]);
	}
	vec_free(&names.v);
	return r;
}

/* ---- the set ---- */

static void set_init(struct set *s, const char *name, struct strmap *pool)
{
	*s = (struct set){ .name = name, .pool = pool };
	s->cells.pool = pool;
}

static void count_boots(struct set *s)
{
	for (size_t i = 0; i < s->n_docs; i++) {
		bool seen = false;

		for (size_t k = 0; k < i && !seen; k++)
			seen = s->docs[k].boot == s->docs[i].boot;
		s->n_boots += !seen;
	}
}

static void set_finish(struct set *s)
{
	count_boots(s);
	cells_finish(&s->cells);
}

int set_load(struct set *s, const char *path, struct strmap *pool, struct err *e)
{
	struct stat st;
	int r;

	set_init(s, path, pool);
	if (stat(path, &st) < 0)
		return err_sys(e, errno, "%s", path);
	if (S_ISDIR(st.st_mode) && !result_is_at(path))
		r = load_directory(s, path, e);
	else
		r = load_document(s, path, e);
	set_finish(s);
	return r;
}

const char *set_day(const struct set *s)
{
	const char *day = "";

	for (size_t i = 0; i < s->n_docs; i++)
		if (strcmp(s->docs[i].started, day) > 0)
			day = s->docs[i].started;
	return day;
}

void set_release(struct set *s)
{
	cells_release(&s->cells);
	facts_release(&s->facts);
	comparable_release(&s->mixed);
	for (size_t i = 0; i < N_CANARIES; i++)
		free(s->canary[i].v);
	free(s->docs);
	*s = (struct set){ 0 };
}
