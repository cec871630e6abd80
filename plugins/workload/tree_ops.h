/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tree: the phases that make files by their numbers, and all phases as one worker does them. */
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tree_walk.h"

/* One file below the worker's directory, with owner's rights and times set as tar sets them. */
static int tree_make_file(struct tree_worker *t, const char *path, uint64_t size)
{
	static const struct timespec times[2] = { { .tv_sec = 1000000000 }, { .tv_sec = 1000000000 } };
	int fd = openat(t->root, path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	int ret = 0;

	if (fd < 0)
		return tree_fail(t, "create", path, "");
	if (files_data_write(&t->data, fd, size))
		ret = tree_fail(t, "write", path, "");
	else if (t->s->shape.cfg->attributes && (futimens(fd, times) || fchmod(fd, 0644)))
		ret = tree_fail(t, "set the attributes of", path, "");
	if (close(fd) && !ret)
		ret = tree_fail(t, "close", path, "");
	return ret;
}

/* Path of a file of that number below the worker's directory. */
static void tree_file_path(const struct tree_worker *t, uint64_t number, char *buf)
{
	const struct tree_shape *s = &t->s->shape;
	size_t n = (size_t)snprintf(buf, TREE_ROOM, "src/");

	n += tree_dir_path(s, tree_dir_of(s, number & ((UINT64_C(1) << TREE_INDEX_BITS) - 1)), buf + n,
			   TREE_ROOM - n);
	buf[n++] = '/';
	tree_put_name(s, number, buf + n);
}

static int tree_unpack_dir(struct tree_worker *t, uint64_t k)
{
	size_t n = (size_t)snprintf(t->path, sizeof(t->path), "src/");

	tree_dir_path(&t->s->shape, k, t->path + n, sizeof(t->path) - n);
	if (!k)
		t->path[n - 1] = '\0';
	if (mkdirat(t->root, t->path, 0755))
		return tree_fail(t, "mkdir", t->path, "");
	tree_done(t, 0);
	return 0;
}

static int tree_unpack_files(struct tree_worker *t, uint64_t k)
{
	const struct tree_shape *s = &t->s->shape;
	int ret = 0;

	for (uint64_t i = s->first[k]; i < s->first[k + 1] && !ret && !tree_stop(t); i++) {
		uint64_t number = tree_file_number(s, i), size = files_size_at(&s->size, number);

		tree_file_path(t, number, t->path);
		ret = tree_make_file(t, t->path, size);
		if (!ret)
			tree_done(t, size);
	}
	return ret;
}

static int tree_unpack(struct tree_worker *t)
{
	const struct tree_cfg *cfg = t->s->shape.cfg;
	int ret = 0;

	for (uint64_t k = 0; k < cfg->directories && !ret && !tree_stop(t); k++) {
		ret = tree_unpack_dir(t, k);
		if (!ret)
			ret = tree_unpack_files(t, k);
	}
	for (uint64_t i = 0; i < cfg->symlinks && !ret && !tree_stop(t); i++) {
		snprintf(t->path, sizeof(t->path), "src/link%llu", (unsigned long long)i);
		if (symlinkat("dir0/a/target", t->root, t->path))
			return tree_fail(t, "symlink", t->path, "");
		tree_done(t, 0);
	}
	return ret;
}

static int tree_rename(struct tree_worker *t)
{
	const struct tree_shape *s = &t->s->shape;
	int ret = 0;

	for (uint64_t i = 0; i < s->cfg->files && !tree_stop(t); i++) {
		uint64_t number = tree_file_number(s, i), size = files_size_at(&s->size, number);

		tree_file_path(t, number, t->path);
		snprintf(t->other, sizeof(t->other), "%s.tmp", t->path);
		ret = tree_make_file(t, t->other, size);
		if (ret)
			return ret;
		if (renameat(t->root, t->other, t->root, t->path))
			return tree_fail(t, "rename to", t->path, "");
		tree_done(t, size);
	}
	return ret;
}

/* In an order of its own each round, so that what is freed lies here and there. */
static int tree_age_round(struct tree_worker *t, struct tree_shape *mine)
{
	const struct tree_cfg *cfg = mine->cfg;
	struct files_order order;
	int ret = 0;

	files_order_init(&order, cfg->files, files_mix(mine->seed + mine->rounds));
	for (uint64_t k = 0; k < cfg->files && !ret && !tree_stop(t); k++) {
		uint64_t i = files_order_at(&order, k), old = tree_file_number(mine, i), new, size;

		mine->rounds++;
		new = tree_file_number(mine, i);
		mine->rounds--;
		if (new == old)
			continue;
		tree_file_path(t, old, t->path);
		if (unlinkat(t->root, t->path, 0))
			return tree_fail(t, "unlink", t->path, "");
		size = files_size_at(&mine->size, new);
		tree_file_path(t, new, t->path);
		ret = tree_make_file(t, t->path, size);
		if (!ret)
			tree_done(t, size);
	}
	mine->rounds++;
	return ret;
}

static int tree_age(struct tree_worker *t)
{
	struct tree_shape mine = t->s->shape; /* the shared one moves on at the end of the phase */
	int ret = 0;

	for (uint64_t r = 0; r < mine.cfg->age_rounds && !ret && !tree_stop(t); r++)
		ret = tree_age_round(t, &mine);
	return ret;
}

static int (*const tree_do[TREE_N_PHASES])(struct tree_worker *t) = {
	[TREE_UNPACK] = tree_unpack, [TREE_STAT] = tree_stat_walk, [TREE_READ] = tree_read_all,
	[TREE_COPY] = tree_copy,     [TREE_RENAME] = tree_rename,  [TREE_AGE] = tree_age,
	[TREE_DELETE] = tree_delete,
};
