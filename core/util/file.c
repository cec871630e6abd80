/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files, and directories except for the removal of trees (file_tree.c). */
#include "core/util/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "core/util/str.h"
#include "core/util/vec.h"
#include "core/util/xalloc.h"

int file_write_all(int fd, const void *data, size_t len)
{
	const char *p = data;

	while (len) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			return -EIO;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

int file_append_synced(int fd, const void *data, size_t len)
{
	off_t end = lseek(fd, 0, SEEK_END);
	int ret = end < 0 ? -errno : file_write_all(fd, data, len);

	if (!ret && fdatasync(fd))
		ret = -errno;
	/* Shorter always works, on a full disk too. */
	if (ret && end >= 0 && ftruncate(fd, end))
		return ret;
	return ret;
}

int file_read_all(int fd, void *data, size_t len, size_t *got)
{
	char *p = data;

	*got = 0;
	while (*got < len) {
		ssize_t n = read(fd, p + *got, len - *got);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		*got += (size_t)n;
	}
	return 0;
}

/* Reads to the end of file, whatever size the file claims to have. */
static int file_slurp(int fd, size_t max, char **data, size_t *len)
{
	_cleanup_free_ char *buf = NULL;
	size_t cap = 16 * 1024, fill = 0, got;

	for (;;) {
		int ret;

		buf = xrealloc(buf, cap);
		ret = file_read_all(fd, buf + fill, cap - 1 - fill, &got);
		if (ret)
			return ret;
		fill += got;
		if (fill > max)
			return -EFBIG;
		if (fill < cap - 1)
			break;
		cap *= 2;
	}
	buf[fill] = '\0';
	*data = TAKE_PTR(buf);
	if (len)
		*len = fill;
	return 0;
}

int file_read(const char *path, size_t max, char **data, size_t *len, struct err *e)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	int ret;

	*data = NULL;
	if (fd < 0)
		return err_set(e, errno, "%s: cannot open: %m", path);
	ret = file_slurp(fd, max, data, len);
	if (ret == -EFBIG)
		return err_set(e, EFBIG, "%s: larger than %zu bytes", path, max);
	if (ret)
		return err_set(e, -ret, "%s: cannot read: %s", path, strerror(-ret));
	return 0;
}

int file_read_line(const char *path, char *buf, size_t size)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	char text[4096];
	size_t got, len;
	char *line;
	int ret;

	if (fd < 0)
		return -errno;
	ret = file_read_all(fd, text, sizeof(text) - 1, &got);
	if (ret)
		return ret;
	text[got] = '\0';
	line = memchr(text, '\n', got);
	if (line)
		*line = '\0';
	else if (got == sizeof(text) - 1)
		return -EOVERFLOW;
	line = str_trim(text);
	len = strlen(line);
	if (len >= size)
		return -EOVERFLOW;
	memcpy(buf, line, len + 1);
	return 0;
}

int file_write_value(const char *path, const char *text)
{
	/* O_TRUNC as the shell's ">" has it: nothing to sysfs, right for a plain file. */
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOCTTY);
	size_t len = strlen(text);
	int ret = 0;
	ssize_t n;

	if (fd < 0)
		return -errno;
	do {
		n = write(fd, text, len);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		ret = -errno;
	else if ((size_t)n != len)
		ret = -EIO;
	if (close(fd) && !ret)
		ret = -errno;
	return ret;
}

/* A new file beside path, with the mode that the umask gives. */
static int file_create_beside(const char *path, char **name)
{
	for (unsigned int i = 0; i < 1000; i++) {
		_cleanup_free_ char *tmp = xasprintf("%s.%d-%u.tmp", path, (int)getpid(), i);
		int fd = open(tmp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

		if (fd >= 0) {
			*name = TAKE_PTR(tmp);
			return fd;
		}
		if (errno != EEXIST)
			return -errno;
	}
	return -EEXIST;
}

static int file_sync_parent(const char *path)
{
	_cleanup_free_ char *dir = xstrdup(path);
	char *slash = strrchr(dir, '/');

	if (!slash)
		return dir_sync(".");
	slash[slash == dir] = '\0';
	return dir_sync(dir);
}

int file_write_atomic(const char *path, const void *data, size_t len, struct err *e)
{
	_cleanup_free_ char *tmp = NULL;
	int fd, ret;

	fd = file_create_beside(path, &tmp);
	if (fd < 0 || !tmp)
		return err_set(e, -fd, "%s: cannot create: %s", path, strerror(-fd));
	ret = file_write_all(fd, data, len);
	if (!ret && fsync(fd))
		ret = -errno;
	if (close(fd) && !ret)
		ret = -errno;
	if (!ret && rename(tmp, path))
		ret = -errno;
	if (ret) {
		unlink(tmp);
		return err_set(e, -ret, "%s: cannot write: %s", path, strerror(-ret));
	}
	ret = file_sync_parent(path);
	if (ret)
		return err_set(e, -ret, "%s: cannot sync its directory: %s", path, strerror(-ret));
	return 0;
}

bool file_exists(const char *path)
{
	return access(path, F_OK) == 0;
}

static bool dir_is(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* path is changed while this runs and whole again afterwards. */
static int dir_make_below(char *path, mode_t mode)
{
	int ret = mkdir(path, mode) ? -errno : 0;
	char *slash;

	if (!ret || dir_is(path))
		return 0;
	if (ret == -EEXIST)
		return -ENOTDIR;
	slash = ret == -ENOENT ? strrchr(path, '/') : NULL;
	if (!slash || slash == path)
		return ret;
	*slash = '\0';
	/* What is above must let us in, whatever mode is asked for the last one. */
	ret = dir_make_below(path, mode | S_IWUSR | S_IXUSR);
	*slash = '/';
	if (ret)
		return ret;
	ret = mkdir(path, mode) ? -errno : 0;
	return dir_is(path) ? 0 : ret;
}

int dir_make(const char *path, mode_t mode, struct err *e)
{
	_cleanup_free_ char *copy = xstrdup(path);
	size_t len = strlen(copy);
	int ret;

	while (len > 1 && copy[len - 1] == '/')
		copy[--len] = '\0';
	ret = dir_make_below(copy, mode);
	if (ret)
		return err_set(e, -ret, "%s: cannot make directory: %s", path, strerror(-ret));
	return 0;
}

int dir_sync(const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	/* Some file systems know no fsync of a directory and say EINVAL. */
	if (fsync(fd) && errno != EINVAL)
		return -errno;
	return 0;
}

static int dir_compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* All names as a NULL-terminated array for str_freev(). */
static int dir_names(const char *path, char ***names, size_t *n)
{
	VEC(char *) found = VEC_INIT;
	struct dirent *d;
	DIR *dir = opendir(path);
	int ret;

	if (!dir)
		return -errno;
	while (errno = 0, (d = readdir(dir))) {
		if (!str_eq(d->d_name, ".") && !str_eq(d->d_name, ".."))
			vec_push(&found, xstrdup(d->d_name));
	}
	ret = -errno;
	closedir(dir);
	if (found.n)
		qsort(found.v, found.n, sizeof(*found.v), dir_compare_names);
	*n = found.n;
	vec_push(&found, NULL);
	*names = found.v;
	return ret;
}

int dir_each(const char *path, int (*fn)(const char *name, void *arg), void *arg)
{
	char **names = NULL;
	size_t n = 0;
	int ret = dir_names(path, &names, &n);

	for (size_t i = 0; !ret && i < n; i++)
		ret = fn(names[i], arg);
	str_freev(names);
	return ret;
}
