/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tree: the phases, each as one worker does it on its own tree. */
#pragma once

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tree_shape.h"

enum { TREE_MAX_PHASES = 64 };

struct tree_result {
	uint64_t ops, bytes;
	uint64_t window_ns;
};

struct tree_state {
	struct fst_ctx *ctx;
	struct files_gate gate;
	struct tree_shape shape;
	uint8_t phase[TREE_MAX_PHASES];
	uint32_t n_phases, at;
	bool made, found, populate, failed, quit;
	bool copied; /* there is a copy already */
	int basefd;
	uint64_t begin, end; /* of the phase at hand */
	struct tree_result result[TREE_N_PHASES];
	char base[FILES_PATH];
};

struct tree_worker {
	struct fst_worker *w;
	struct tree_state *s;
	int root;	/* the worker's directory, which holds src and copy */
	bool timed;
	uint32_t phase;
	uint64_t now;
	uint64_t ops, bytes;
	char *buffer;	/* TREE_BUFFER random bytes, as many to read into, and one part for each level */
	uint64_t stamp;
	char path[TREE_ROOM], other[TREE_ROOM + 16];
};

static char *tree_read_buffer(const struct tree_worker *t)
{
	return t->buffer + TREE_BUFFER;
}

static bool tree_stop(const struct tree_worker *t)
{
	return fst_stopping(t->w) || __atomic_load_n(&t->s->failed, __ATOMIC_RELAXED);
}

static void tree_done(struct tree_worker *t, uint64_t bytes)
{
	t->ops++;
	t->bytes += bytes;
	if (t->timed)
		t->now = fst_op(t->w, t->phase, t->now, bytes);
}

static int tree_fail(struct tree_worker *t, const char *what, const char *where, const char *name)
{
	int err = errno;
	char why[128];

	files_why(t->s->base, err, why, sizeof(why));
	return fst_error(t->w->ctx, err, "%s %s/w%u/%s%s%s, after %llu entries%s", what, t->s->base,
			 t->w->index, where, *name ? "/" : "", name, (unsigned long long)t->ops, why);
}

static int tree_write(struct tree_worker *t, int fd, uint64_t size)
{
	while (size) {
		size_t len = size < TREE_BUFFER ? (size_t)size : TREE_BUFFER;
		ssize_t n;

		for (size_t at = 0; at < len; at += 4096)
			memcpy(t->buffer + at, &t->stamp, sizeof(t->stamp)), t->stamp++;
		n = write(fd, t->buffer, len);
		if (n <= 0) {
			errno = n ? errno : ENOSPC;
			return -1;
		}
		size -= (uint64_t)n;
	}
	return 0;
}

/* One file below the worker's directory, with owner's rights and times set as tar sets them. */
static int tree_make_file(struct tree_worker *t, const char *path, uint64_t size)
{
	static const struct timespec times[2] = { { .tv_sec = 1000000000 }, { .tv_sec = 1000000000 } };
	int fd = openat(t->root, path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	int ret = 0;

	if (fd < 0)
		return tree_fail(t, "create", path, "");
	if (tree_write(t, fd, size))
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

/* ---- walks ----------------------------------------------------------------------------------- */

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
			  const struct dirent64 *e, int level)
{
	int ret = v->entry(t, from, to, e->d_name, e->d_type);

	if (!ret && e->d_type == DT_DIR) {
		ret = tree_walk_into(t, v, from, to, e->d_name, level);
		if (!ret && v->after)
			ret = v->after(t, from, e->d_name);
	}
	return ret;
}

static int tree_walk(struct tree_worker *t, const struct tree_visit *v, int from, int to, int level)
{
	char *buf = t->buffer + (2 + (size_t)level) * TREE_BUFFER;
	ssize_t n;
	int ret = 0;

	if (level >= TREE_LEVELS)
		return fst_error(t->w->ctx, ELOOP, "tree %s", t->s->base);
	while (!ret && (n = syscall(SYS_getdents64, from, buf, TREE_BUFFER)) != 0) {
		if (n < 0)
			return tree_fail(t, "read the directory", "...", "");
		for (ssize_t at = 0; at < n && !ret && !tree_stop(t);) {
			const struct dirent64 *e = (const void *)(buf + at);

			at += e->d_reclen;
			if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
				ret = tree_visit_one(t, v, from, to, e, level);
		}
		if (tree_stop(t))
			break;
	}
	return ret;
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

/* Reads to its end, writes each part to `out` unless that is -1; bytes, or -1. */
static int64_t tree_pump(struct tree_worker *t, int in, int out)
{
	int64_t sum = 0;
	ssize_t n;

	do {
		n = read(in, tree_read_buffer(t), TREE_BUFFER);
		if (n < 0 || (out >= 0 && n && write(out, tree_read_buffer(t), (size_t)n) != n))
			return -1;
		sum += n;
	} while (n == TREE_BUFFER);
	return sum;
}

static int tree_read_entry(struct tree_worker *t, int from, int to, const char *name, unsigned char type)
{
	int64_t n;
	int fd;

	(void)to;
	if (type == DT_DIR)
		return 0;
	if (type == DT_LNK) {
		n = readlinkat(from, name, tree_read_buffer(t), TREE_BUFFER);
	} else {
		fd = openat(from, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
		n = fd < 0 ? -1 : tree_pump(t, fd, -1);
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
	char *text = tree_read_buffer(t);
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
	int64_t n = out < 0 ? -1 : tree_pump(t, in, out);
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

/* ---- changes --------------------------------------------------------------------------------- */

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
