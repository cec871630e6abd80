/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tree: the entries of a directory in another order than it gives them. They are listed in memory that was
 * there before the clock ran; the lists of the directories above stay in front of it.
 */
#pragma once

#include <dirent.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tree_state.h"

static size_t tree_list_size(const struct tree_cfg *cfg)
{
	return (cfg->directories + cfg->files + cfg->symlinks) * sizeof(struct tree_entry);
}

static int tree_list_init(struct tree_worker *t)
{
	const struct tree_cfg *cfg = t->s->shape.cfg;
	void *p;

	if (cfg->order == TREE_AS_GIVEN)
		return 0;
	p = mmap(NULL, tree_list_size(cfg), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return fst_error(t->w->ctx, errno, "a list of all entries");
	t->list = p;
	return 0;
}

static void tree_list_release(struct tree_worker *t)
{
	if (t->list)
		munmap(t->list, tree_list_size(t->s->shape.cfg));
}

static bool tree_entry_before(const struct tree_entry *a, const struct tree_entry *b, int order)
{
	return order == TREE_BY_INODE ? a->ino < b->ino : strcmp(a->name, b->name) < 0;
}

/* Heap sort: takes no memory. */
static void tree_sift(struct tree_entry *v, uint64_t i, uint64_t n, int order)
{
	const struct tree_entry moved = v[i];
	uint64_t child;

	while ((child = 2 * i + 1) < n) {
		if (child + 1 < n && tree_entry_before(&v[child], &v[child + 1], order))
			child++;
		if (!tree_entry_before(&moved, &v[child], order))
			break;
		v[i] = v[child];
		i = child;
	}
	v[i] = moved;
}

static void tree_sort(struct tree_entry *v, uint64_t n, int order)
{
	for (uint64_t i = n / 2; i-- > 0;)
		tree_sift(v, i, n, order);
	while (n > 1) {
		const struct tree_entry largest = v[0];

		v[0] = v[--n];
		v[n] = largest;
		tree_sift(v, 0, n, order);
	}
}

static bool tree_is_dots(const char *name)
{
	return name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2]));
}

static int tree_list_add(struct tree_worker *t, const struct dirent64 *e)
{
	const struct tree_cfg *cfg = t->s->shape.cfg;
	struct tree_entry *entry = &t->list[t->n_list];

	if (tree_is_dots(e->d_name))
		return 0;
	if (t->n_list == cfg->directories + cfg->files + cfg->symlinks ||
	    strlen(e->d_name) >= sizeof(entry->name))
		return fst_error(t->w->ctx, E2BIG, "%s: %s is none of the tree's entries", t->s->base, e->d_name);
	entry->ino = e->d_ino;
	entry->type = e->d_type;
	memcpy(entry->name, e->d_name, strlen(e->d_name) + 1);
	t->n_list++;
	return 0;
}

/* All entries of an open directory, behind those that are listed already. */
static int tree_list_dir(struct tree_worker *t, int fd, char *buf)
{
	const uint64_t first = t->n_list;
	ssize_t n;
	int ret = 0;

	while (!ret && (n = syscall(SYS_getdents64, fd, buf, TREE_BUFFER)) != 0) {
		if (n < 0)
			return tree_fail(t, "read the directory", "...", "");
		for (ssize_t at = 0; at < n && !ret;) {
			const struct dirent64 *e = (const void *)(buf + at);

			at += e->d_reclen;
			ret = tree_list_add(t, e);
		}
	}
	tree_sort(t->list + first, t->n_list - first, t->s->shape.cfg->order);
	return ret;
}
