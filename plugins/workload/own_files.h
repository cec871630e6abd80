/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Files that a data workload makes by itself in prepare, one after the other, so that it decides how their space
 * is allocated; the core opens them as they are. What stands in the place of one is left alone: it is not
 * known whose it is.
 */
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include <fstrial/plugin.h>

#include "extents.h"

struct own_file {
	uint32_t number; /* from 0 on; the core's, too */
	uint32_t worker;
	uint64_t size;	  /* that it will have */
	uint64_t extsize; /* extent size hint; 0: none */
	int (*allocate)(struct fst_ctx *ctx, const struct own_file *f, int fd, const char *path);
};

/* Its name, relative to ctx->dir. */
typedef void (*own_file_name)(char *buf, size_t size, const struct fst_ctx *ctx, uint32_t number);

static inline void own_file_path(char path[PATH_MAX], const struct fst_ctx *ctx, own_file_name name,
				 uint32_t number)
{
	size_t n = (size_t)snprintf(path, PATH_MAX, "%s/", ctx->dir);

	if (n < PATH_MAX)
		name(path + n, PATH_MAX - n, ctx, number);
}

static inline int own_file_allocate(struct fst_ctx *ctx, const struct own_file *f, int fd, const char *path)
{
	int r = f->extsize ? extents_set_hint(fd, f->extsize) : 0;

	if (r < 0)
		return fst_error(ctx, -r, "extent size hint (extsize) of %llu bytes for %s", (unsigned long long)f->extsize, path);
	return f->allocate(ctx, f, fd, path);
}

static inline int own_file_tell(struct fst_ctx *ctx, const struct own_file *f, own_file_name name)
{
	struct fst_file told = { .size = f->size, .mode = FST_FILE_AS_IS, .worker = f->worker };
	char text[NAME_MAX];
	uint32_t number;
	int r;

	name(text, sizeof(text), ctx, f->number);
	told.name = text;
	r = fst_file_add(ctx, &told, &number);
	if (r == 0 && number != f->number)
		r = fst_error(ctx, EINVAL, "file %u got number %u", f->number, number);
	return r;
}

/* *made: how many there are to be removed, this one included as soon as it is there. */
static inline int own_file_make(struct fst_ctx *ctx, const struct own_file *f, own_file_name name, uint32_t *made)
{
	char path[PATH_MAX];
	int fd, r;

	own_file_path(path, ctx, name, f->number);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (fd < 0)
		return fst_error(ctx, errno, "create %s", path);
	*made = f->number + 1;
	r = own_file_allocate(ctx, f, fd, path);
	if (close(fd) < 0 && r == 0)
		r = fst_error(ctx, errno, "close %s", path);
	return r < 0 ? r : own_file_tell(ctx, f, name);
}

static inline int own_files_remove(struct fst_ctx *ctx, own_file_name name, uint32_t made)
{
	char path[PATH_MAX];
	int r = 0;

	for (uint32_t i = 0; i < made; i++) {
		own_file_path(path, ctx, name, i);
		if (unlink(path) < 0 && errno != ENOENT)
			r = fst_error(ctx, errno, "remove %s", path);
	}
	return r;
}
