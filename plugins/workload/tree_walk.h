/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tree: the phases that go through what is there, directory by directory. */
#pragma once

#include <fcntl.h>
#include <sys/stat.h>

#include "tree_entries.h"

/* What is done with one entry of an open directory; a directory before what is in it. */
struct tree_visit {
	int (*entry)(struct tree_worker *t, int from, int to, const char *name, unsigned char type);
	int (*after)(struct tree_worker *t, int from, const char *name);
	bool copies; /* to is the same directory in the copy */
};

static int tree_walk(struct tree_worker *t, const struct tree_visit *v, int from, int to, int level);

static int tree_walk_into(struct tree_worker *t, const struct tree_visit *v, int from, int to,
			  const char *name, int level)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	int fd = openat(from, name, flags), to_fd = -1, ret;

	if (fd < 0)
		return tree_fail(t, "open", "...", name);
	if (v->copies) {
		to_fd = openat(to, name, flags);
		if (to_fd < 0) {
			ret = tree_fail(t, "open", "copy/...", name);
			close(fd);
			return ret;
		}
	}
	ret = tree_walk(t, v, fd, to_fd, level + 1);
	if (to_fd >= 0)
		close(to_fd);
	close(fd);
	return ret;
}

static int tree_visit_one(struct tree_worker *t, const struct tree_visit *v, int from, int to,
			  const char *name, unsigned char type, int level)
{
	int ret = v->entry(t, from, to, name, type);

	if (!ret && type == DT_DIR) {
		ret = tree_walk_into(t, v, from, to, name, level);
		if (!ret && v->after)
			ret = v->after(t, from, name);
	}
	return ret;
}

static int tree_walk_given(struct tree_worker *t, const struct tree_visit *v, int from, int to, int level,
			   char *buf)
{
	ssize_t n;
	int ret = 0;

	while (!ret && !tree_stop(t) && (n = syscall(SYS_getdents64, from, buf, TREE_BUFFER)) != 0) {
		if (n < 0)
			return tree_fail(t, "read the directory", "...", "");
		for (ssize_t at = 0; at < n && !ret && !tree_stop(t);) {
			const struct dirent64 *e = (const void *)(buf + at);

			at += e->d_reclen;
			if (!tree_is_dots(e->d_name))
				ret = tree_visit_one(t, v, from, to, e->d_name, e->d_type, level);
		}
	}
	return ret;
}

static int tree_walk_sorted(struct tree_worker *t, const struct tree_visit *v, int from, int to, int level,
			    char *buf)
{
	const uint64_t first = t->n_list;
	int ret = tree_list_dir(t, from, buf);
	const uint64_t last = t->n_list;

	for (uint64_t i = first; i < last && !ret && !tree_stop(t); i++)
		ret = tree_visit_one(t, v, from, to, t->list[i].name, t->list[i].type, level);
	t->n_list = first;
	return ret;
}

static int tree_walk(struct tree_worker *t, const struct tree_visit *v, int from, int to, int level)
{
	char *buf = t->data.room + (1 + (size_t)level) * TREE_BUFFER;

	if (level >= TREE_LEVELS)
		return fst_error(t->w->ctx, ELOOP, "tree %s", t->s->base);
	return t->list ? tree_walk_sorted(t, v, from, to, level, buf)
		       : tree_walk_given(t, v, from, to, level, buf);
}

static int tree_walk_tree(struct tree_worker *t, const struct tree_visit *v, const char *name)
{
	int from = openat(t->root, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC), to = -1, ret;

	if (from < 0)
		return tree_fail(t, "open", name, "");
	if (v->copies) {
		to = mkdirat(t->root, "copy", 0755) ? -1
						    : openat(t->root, "copy",
							     O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (to < 0) {
			ret = tree_fail(t, "mkdir", "copy", "");
			close(from);
			return ret;
		}
	}
	ret = tree_walk(t, v, from, to, 0);
	if (to >= 0)
		close(to);
	close(from);
	return ret;
}

static int tree_stat_entry(struct tree_worker *t, int from, int to, const char *name, unsigned char type)
{
	struct stat st;

	(void)to;
	(void)type;
	if (fstatat(from, name, &st, AT_SYMLINK_NOFOLLOW))
		return tree_fail(t, "stat", "...", name);
	tree_done(t, 0);
	return 0;
}

static int tree_read_entry(struct tree_worker *t, int from, int to, const char *name, unsigned char type)
{
	int64_t n;
	int fd;

	(void)to;
	if (type == DT_DIR)
		return 0;
	if (type == DT_LNK) {
		n = readlinkat(from, name, t->data.room, TREE_BUFFER);
	} else {
		fd = openat(from, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
		n = fd < 0 ? -1 : files_data_read(&t->data, fd, -1);
		if (fd >= 0)
			close(fd);
	}
	if (n < 0)
		return tree_fail(t, "read", "...", name);
	tree_done(t, (uint64_t)n);
	return 0;
}

static int tree_copy_link(struct tree_worker *t, int from, int to, const char *name)
{
	char *text = t->data.room;
	ssize_t n = readlinkat(from, name, text, TREE_BUFFER - 1);

	if (n < 0)
		return -1;
	text[n] = '\0';
	return symlinkat(text, to, name);
}

static int64_t tree_copy_file(struct tree_worker *t, int from, int to, const char *name)
{
	int in = openat(from, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	int out = in < 0 ? -1 : openat(to, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	int64_t n = out < 0 ? -1 : files_data_read(&t->data, in, out);
	int err = errno;

	if (in >= 0)
		close(in);
	if (out >= 0 && close(out) && n >= 0)
		return -1;
	errno = err;
	return n;
}

static int tree_copy_entry(struct tree_worker *t, int from, int to, const char *name, unsigned char type)
{
	int64_t n;

	if (type == DT_DIR)
		n = mkdirat(to, name, 0755);
	else if (type == DT_LNK)
		n = tree_copy_link(t, from, to, name);
	else
		n = tree_copy_file(t, from, to, name);
	if (n < 0)
		return tree_fail(t, "copy to", "copy/...", name);
	tree_done(t, (uint64_t)n);
	return 0;
}

static int tree_delete_entry(struct tree_worker *t, int from, int to, const char *name,
			     unsigned char type)
{
	(void)to;
	if (type == DT_DIR)
		return 0;
	if (unlinkat(from, name, 0))
		return tree_fail(t, "unlink", "...", name);
	tree_done(t, 0);
	return 0;
}

static int tree_delete_dir(struct tree_worker *t, int from, const char *name)
{
	if (unlinkat(from, name, AT_REMOVEDIR))
		return tree_fail(t, "rmdir", "...", name);
	tree_done(t, 0);
	return 0;
}

static int tree_stat_walk(struct tree_worker *t)
{
	static const struct tree_visit v = { .entry = tree_stat_entry };

	return tree_walk_tree(t, &v, "src");
}

static int tree_read_all(struct tree_worker *t)
{
	static const struct tree_visit v = { .entry = tree_read_entry };

	return tree_walk_tree(t, &v, "src");
}

static int tree_copy(struct tree_worker *t)
{
	static const struct tree_visit v = { .entry = tree_copy_entry, .copies = true };

	return tree_walk_tree(t, &v, "src");
}

static int tree_delete(struct tree_worker *t)
{
	static const struct tree_visit v = { .entry = tree_delete_entry, .after = tree_delete_dir };
	static const char *const names[] = { "src", "copy" };
	int ret = 0;

	for (int i = 0; i < 2 && !ret && !tree_stop(t); i++) {
		if (faccessat(t->root, names[i], F_OK, 0))
			continue;
		ret = tree_walk_tree(t, &v, names[i]);
		if (!ret && !tree_stop(t))
			ret = tree_delete_dir(t, t->root, names[i]);
	}
	return ret;
}
