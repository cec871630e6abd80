/* SPDX-License-Identifier: GPL-3.0-or-later */
/* dir_remove_tree(): removes a tree and nothing else. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "core/util/file.h"
#include "core/util/str.h"
#include "core/util/xalloc.h"

/* Deeper than this a directory is moved up to the root first: no limit by open descriptors. */
#define TREE_DEPTH_MAX 64

struct tree {
	const char *path; /* as the caller named it, for messages */
	struct err *e;
	int root;	  /* directory being removed */
	dev_t dev;
	unsigned int moved;
};

static int tree_scan(struct tree *t, int fd, unsigned int depth);

static int tree_fail(struct tree *t, int code, const char *what, const char *name)
{
	return err_set(t->e, code, "%s: cannot %s %s: %s", t->path, what, name, strerror(code));
}

/* Is the open directory the root of a mount? st_dev alone does not see a bind mount. */
static bool tree_crosses(const struct tree *t, int fd)
{
	struct statx sx;
	struct stat st;

	if (statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &sx) == 0 &&
	    (sx.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT))
		return sx.stx_attributes & STATX_ATTR_MOUNT_ROOT;
	return fstat(fd, &st) || st.st_dev != t->dev;
}

static int tree_move_up(struct tree *t, int dir, const char *name)
{
	char up[64];

	do {
		snprintf(up, sizeof(up), ".fstrial-remove-%u", t->moved++);
		/* NOREPLACE would be lost on old file systems; a clash is answered by ENOTEMPTY. */
		if (renameat(dir, name, t->root, up) == 0)
			return 0;
	} while (errno == ENOTEMPTY || errno == EEXIST || errno == ENOTDIR);
	return tree_fail(t, errno, "move", name);
}

static int tree_remove_dir(struct tree *t, int dir, const char *name, unsigned int depth)
{
	int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int ret;

	if (fd < 0)
		return tree_fail(t, errno, "open", name);
	if (tree_crosses(t, fd)) {
		close(fd);
		return err_set(t->e, EXDEV, "%s: %s below it is another file system", t->path,
			       name);
	}
	if (depth >= TREE_DEPTH_MAX) {
		close(fd);
		return tree_move_up(t, dir, name);
	}
	ret = tree_scan(t, fd, depth); /* closes fd */
	if (ret)
		return ret;
	if (unlinkat(dir, name, AT_REMOVEDIR) && errno != ENOENT)
		return tree_fail(t, errno, "remove", name);
	return 0;
}

static int tree_remove_entry(struct tree *t, int dir, const char *name, unsigned int depth)
{
	struct stat st;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT))
		return errno == ENOENT ? 0 : tree_fail(t, errno, "stat", name);
	if (S_ISDIR(st.st_mode))
		return tree_remove_dir(t, dir, name, depth + 1);
	if (unlinkat(dir, name, 0) && errno != ENOENT)
		return tree_fail(t, errno, "remove", name);
	return 0;
}

/*
 * Empties the open directory, which it closes. Scans again until nothing is found: file systems
 * may skip names when others are removed meanwhile, and the root gets directories moved up.
 */
static int tree_scan(struct tree *t, int fd, unsigned int depth)
{
	DIR *dir = fdopendir(fd);
	bool found = true;
	struct dirent *d;
	int ret = 0;

	if (!dir) {
		ret = tree_fail(t, errno, "read", "a directory");
		close(fd);
		return ret;
	}
	while (found && !ret) {
		found = false;
		rewinddir(dir);
		while (!ret && (errno = 0, d = readdir(dir))) {
			if (str_eq(d->d_name, ".") || str_eq(d->d_name, ".."))
				continue;
			found = true;
			ret = tree_remove_entry(t, dirfd(dir), d->d_name, depth);
		}
		if (!ret && errno)
			ret = tree_fail(t, errno, "read", "a directory");
	}
	closedir(dir);
	return ret;
}

/* "/", "." and ".." would be emptied before rmdir(2) says no. */
static bool tree_path_is_bad(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *last = slash ? slash + 1 : path;

	return !*last || str_eq(last, ".") || str_eq(last, "..");
}

static int tree_remove_root(struct tree *t, const char *path)
{
	struct stat st;
	int ret, fd;

	t->root = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (t->root < 0 && errno == ENOENT)
		return 0;
	if (t->root < 0)
		return err_set(t->e, errno, "%s: cannot open as a directory: %m", path);
	if (fstat(t->root, &st))
		return err_set(t->e, errno, "%s: cannot stat: %m", path);
	t->dev = st.st_dev;
	if (tree_crosses(t, t->root))
		return err_set(t->e, EXDEV, "%s: is a mount point", path);
	fd = fcntl(t->root, F_DUPFD_CLOEXEC, 3);
	if (fd < 0)
		return err_set(t->e, errno, "%s: cannot open: %m", path);
	ret = tree_scan(t, fd, 0);
	if (!ret && rmdir(path) && errno != ENOENT)
		ret = err_set(t->e, errno, "%s: cannot remove: %m", path);
	return ret;
}

int dir_remove_tree(const char *path, struct err *e)
{
	/* Without slashes at the end: with them a symbolic link would be followed. */
	_cleanup_free_ char *copy = xstrdup(path);
	struct tree t = { .path = copy, .e = e, .root = -1 };
	size_t len = strlen(copy);
	int ret;

	while (len && copy[len - 1] == '/')
		copy[--len] = '\0';
	if (tree_path_is_bad(copy))
		return err_set(e, EINVAL, "\"%s\": will not remove this", path);
	ret = tree_remove_root(&t, copy);
	if (t.root >= 0)
		close(t.root);
	return ret;
}
