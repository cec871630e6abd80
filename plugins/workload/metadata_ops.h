/* SPDX-License-Identifier: GPL-3.0-or-later */
/* metadata: one operation of each kind, with as few system calls as it takes. */
#pragma once

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "metadata_state.h"

#define METADATA_XATTR "user.fstrial"

typedef int (*metadata_op)(struct metadata_worker *m, uint64_t i, uint64_t *bytes);

/* Flushes fd inside another operation; not counted in the ramp. */
static int metadata_fsync(struct metadata_worker *m, int fd, uint32_t op, const char *name)
{
	uint64_t begin = fst_now(m->w->ctx);

	if (fsync(fd))
		return metadata_fail(m, op == METADATA_FSYNC ? "fsync" : "fsync the directory of", name);
	if (begin >= m->ramp_ns)
		fst_op(m->w, op, begin, 0);
	return 0;
}

/* After a name in a directory was changed. */
static int metadata_fsync_dir(struct metadata_worker *m, const char *name)
{
	if (m->cfg->durability != METADATA_SYNC_DIR)
		return 0;
	return metadata_fsync(m, m->dirfd, METADATA_FSYNC_DIR, name);
}

static bool metadata_fsyncs(const struct metadata_cfg *cfg)
{
	return cfg->durability == METADATA_SYNC_FILE || cfg->durability == METADATA_SYNC_DIR;
}

/* Writes, flushes and closes the file whose name was given last. */
static int metadata_finish(struct metadata_worker *m, int fd, uint64_t size)
{
	int ret = files_data_write(&m->data, fd, size) ? metadata_fail(m, "write", m->name) : 0;

	if (!ret && metadata_fsyncs(m->cfg))
		ret = metadata_fsync(m, fd, METADATA_FSYNC, m->name);
	if (close(fd) && !ret)
		ret = metadata_fail(m, "close", m->name);
	return ret;
}

static bool metadata_mknods(const struct metadata_cfg *cfg, uint64_t size)
{
	return cfg->method != METADATA_OPEN && !size && !metadata_fsyncs(cfg);
}

static int metadata_create(struct metadata_worker *m, uint64_t i, uint64_t *bytes)
{
	uint64_t size = files_size_at(&m->s->size, i * m->w->ctx->nworkers + m->owner);
	int fd, ret;

	metadata_name(m, m->name, (char)m->set->first, i);
	if (metadata_mknods(m->cfg, size)) {
		if (mknodat(m->dirfd, m->name, S_IFREG | 0644, 0))
			return metadata_fail(m, "create", m->name);
		return metadata_fsync_dir(m, m->name);
	}
	fd = openat(m->dirfd, m->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (fd < 0)
		return metadata_fail(m, "create", m->name);
	ret = metadata_finish(m, fd, size);
	*bytes = size;
	return ret ? ret : metadata_fsync_dir(m, m->name);
}

static int metadata_stat(struct metadata_worker *m, uint64_t i, uint64_t *bytes)
{
	struct stat st;

	(void)bytes;
	metadata_name(m, m->name, (char)m->set->first, i);
	return fstatat(m->dirfd, m->name, &st, AT_SYMLINK_NOFOLLOW) ? metadata_fail(m, "stat", m->name)
								    : 0;
}

static int metadata_read(struct metadata_worker *m, uint64_t i, uint64_t *bytes)
{
	int64_t n;
	int fd, ret = 0;

	metadata_name(m, m->name, (char)m->set->first, i);
	fd = openat(m->dirfd, m->name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return metadata_fail(m, "open", m->name);
	n = files_data_read(&m->data, fd, -1);
	if (n < 0)
		ret = metadata_fail(m, "read", m->name);
	else
		*bytes = (uint64_t)n;
	if (close(fd) && !ret)
		ret = metadata_fail(m, "close", m->name);
	return ret;
}

static int metadata_append(struct metadata_worker *m, uint64_t i, uint64_t *bytes)
{
	int fd;

	metadata_name(m, m->name, (char)m->set->first, i);
	fd = openat(m->dirfd, m->name, O_WRONLY | O_APPEND | O_CLOEXEC);
	if (fd < 0)
		return metadata_fail(m, "open", m->name);
	*bytes = m->cfg->append_size;
	return metadata_finish(m, fd, m->cfg->append_size);
}

static int metadata_rename_to(struct metadata_worker *m, uint64_t i, char first, uint64_t to)
{
	int from;

	metadata_name(m, m->name, (char)m->set->first, i);
	from = m->dirfd;
	metadata_name(m, m->other, first, to);
	if (renameat(from, m->name, m->dirfd, m->other))
		return metadata_fail(m, "rename to", m->other);
	return metadata_fsync_dir(m, m->other);
}

/* All files of a set are called f..., or all r... */
static char metadata_other_first(const struct metadata_worker *m)
{
	return m->set->first == 'f' ? 'r' : 'f';
}

static int metadata_rename(struct metadata_worker *m, uint64_t i, uint64_t *bytes)
{
	(void)bytes;
	return metadata_rename_to(m, i, metadata_other_first(m), i);
}

/* The i-th link, to one of the files in turn. */
static int metadata_link(struct metadata_worker *m, uint64_t i, uint64_t *bytes)
{
	int to;

	(void)bytes;
	metadata_name(m, m->other, (char)m->set->first, m->set->files.lo + i % (m->set->files.hi - m->set->files.lo));
	to = m->dirfd;
	metadata_name(m, m->name, 'l', i);
	if (linkat(to, m->other, m->dirfd, m->name, 0))
		return metadata_fail(m, "link", m->name);
	return metadata_fsync_dir(m, m->name);
}

static int metadata_symlink(struct metadata_worker *m, uint64_t i, uint64_t *bytes)
{
	(void)bytes;
	metadata_name(m, m->other, (char)m->set->first, m->set->files.lo + i % (m->set->files.hi - m->set->files.lo));
	metadata_name(m, m->name, 's', i);
	if (symlinkat(m->other, m->dirfd, m->name))
		return metadata_fail(m, "symlink", m->name);
	return metadata_fsync_dir(m, m->name);
}

static int metadata_chmod(struct metadata_worker *m, uint64_t i, uint64_t *bytes)
{
	(void)bytes;
	metadata_name(m, m->name, (char)m->set->first, i);
	/* Another mode each time, or nothing is to be written. */
	if (fchmodat(m->dirfd, m->name, m->count & 1 ? 0600 : 0640, 0))
		return metadata_fail(m, "chmod", m->name);
	return 0;
}

static int metadata_utimens(struct metadata_worker *m, uint64_t i, uint64_t *bytes)
{
	struct timespec t[2] = { { .tv_sec = (time_t)(1000000000 + m->count) },
				 { .tv_sec = (time_t)(1000000000 + m->count) } };

	(void)bytes;
	metadata_name(m, m->name, (char)m->set->first, i);
	return utimensat(m->dirfd, m->name, t, 0) ? metadata_fail(m, "utimens", m->name) : 0;
}

/* Attributes go by path: there is no such call relative to a directory on older kernels. */
static int metadata_setxattr(struct metadata_worker *m, uint64_t i, uint64_t *bytes)
{
	const char *path;

	metadata_name(m, m->name, (char)m->set->first, i);
	path = metadata_path(m, m->name);
	memcpy(m->data.random, &m->count, sizeof(m->count));
	if (lsetxattr(path, METADATA_XATTR, m->data.random, m->cfg->xattr_size, 0))
		return errno == EOPNOTSUPP ? -EOPNOTSUPP : metadata_fail(m, "setxattr", m->name);
	*bytes = m->cfg->xattr_size;
	return 0;
}

static int metadata_getxattr(struct metadata_worker *m, uint64_t i, uint64_t *bytes)
{
	ssize_t n;

	metadata_name(m, m->name, (char)m->set->first, i);
	n = lgetxattr(metadata_path(m, m->name), METADATA_XATTR, m->data.room,
		      METADATA_BUFFER);
	if (n < 0)
		return errno == EOPNOTSUPP ? -EOPNOTSUPP : metadata_fail(m, "getxattr", m->name);
	*bytes = (uint64_t)n;
	return 0;
}

static int metadata_truncate(struct metadata_worker *m, uint64_t i, uint64_t *bytes)
{
	(void)bytes;
	metadata_name(m, m->name, (char)m->set->first, i);
	return truncate(metadata_path(m, m->name), (off_t)m->cfg->truncate_size)
		       ? metadata_fail(m, "truncate", m->name)
		       : 0;
}

static int metadata_mkdir(struct metadata_worker *m, uint64_t i, uint64_t *bytes)
{
	(void)bytes;
	metadata_name(m, m->name, 'd', i);
	return mkdirat(m->dirfd, m->name, 0755) ? metadata_fail(m, "mkdir", m->name)
						: metadata_fsync_dir(m, m->name);
}

static int metadata_rmdir(struct metadata_worker *m, uint64_t i, uint64_t *bytes)
{
	(void)bytes;
	metadata_name(m, m->name, 'd', i);
	return unlinkat(m->dirfd, m->name, AT_REMOVEDIR) ? metadata_fail(m, "rmdir", m->name)
							 : metadata_fsync_dir(m, m->name);
}

static int metadata_unlink_named(struct metadata_worker *m, char first, uint64_t i)
{
	metadata_name(m, m->name, first, i);
	return unlinkat(m->dirfd, m->name, 0) ? metadata_fail(m, "unlink", m->name)
					      : metadata_fsync_dir(m, m->name);
}

static int metadata_unlink(struct metadata_worker *m, uint64_t i, uint64_t *bytes)
{
	(void)bytes;
	return metadata_unlink_named(m, (char)m->set->first, i);
}

static int metadata_unlink_link(struct metadata_worker *m, uint64_t i, uint64_t *bytes)
{
	(void)bytes;
	return metadata_unlink_named(m, 'l', i);
}

static int metadata_unlink_symlink(struct metadata_worker *m, uint64_t i, uint64_t *bytes)
{
	(void)bytes;
	return metadata_unlink_named(m, 's', i);
}

/* Counts the names in what getdents64 gave; . and .. are not of ours. */
static uint64_t metadata_count(const char *buf, ssize_t n)
{
	uint64_t names = 0;

	for (ssize_t at = 0; at < n;) {
		const struct dirent64 *e = (const void *)(buf + at);

		names += e->d_name[0] != '.';
		at += e->d_reclen;
	}
	return names;
}

/* The i-th directory: of the worker, or its share of those of all. */
static int metadata_readdir(struct metadata_worker *m, uint64_t i, uint64_t *bytes)
{
	char *buf = m->data.room;
	ssize_t n;
	int fd;

	(void)bytes;
	m->dirno = m->cfg->shared ? i * m->w->ctx->nworkers + m->owner : m->owner * m->cfg->dirs + i;
	fd = openat(m->s->dir[m->dirno], ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return metadata_fail(m, "open", ".");
	while ((n = syscall(SYS_getdents64, fd, buf, METADATA_BUFFER)) > 0)
		m->entries += metadata_count(buf, n);
	if (n < 0) {
		metadata_fail(m, "readdir", ".");
		n = -errno;
	}
	close(fd);
	return (int)n;
}

static const metadata_op metadata_do[METADATA_N_KINDS] = {
	[METADATA_CREATE] = metadata_create,
	[METADATA_STAT] = metadata_stat,
	[METADATA_READ] = metadata_read,
	[METADATA_READDIR] = metadata_readdir,
	[METADATA_APPEND] = metadata_append,
	[METADATA_RENAME] = metadata_rename,
	[METADATA_LINK] = metadata_link,
	[METADATA_SYMLINK] = metadata_symlink,
	[METADATA_CHMOD] = metadata_chmod,
	[METADATA_UTIMENS] = metadata_utimens,
	[METADATA_SETXATTR] = metadata_setxattr,
	[METADATA_GETXATTR] = metadata_getxattr,
	[METADATA_TRUNCATE] = metadata_truncate,
	[METADATA_MKDIR] = metadata_mkdir,
	[METADATA_RMDIR] = metadata_rmdir,
	[METADATA_UNLINK] = metadata_unlink,
	[METADATA_UNLINK_LINK] = metadata_unlink_link,
	[METADATA_UNLINK_SYMLINK] = metadata_unlink_symlink,
};
