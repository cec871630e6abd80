/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where plugins are looked for. */
#include "core/plugin/search.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "config.h"
#include "core/plugin/registry.h"
#include "core/util/file.h"
#include "core/util/str.h"
#include "core/util/vec.h"
#include "core/util/xalloc.h"

typedef VEC(char *) search_list;

static bool search_has(const search_list *list, const char *path)
{
	for (size_t i = 0; i < list->n; i++) {
		if (str_eq(list->v[i], path))
			return true;
	}
	return false;
}

/* from: who named it, for the message; NULL: it may be missing. */
static int search_add(search_list *list, const char *dir, const char *from, struct err *e)
{
	char *full = realpath(dir, NULL);
	struct stat st;

	if (!full)
		return from ? err_set(e, errno, "%s: plugin directory of %s: %m", dir, from) : 0;
	if (stat(full, &st) || !S_ISDIR(st.st_mode)) {
		free(full);
		return from ? err_set(e, ENOTDIR, "%s: plugin directory of %s: not a directory",
				      dir, from)
			    : 0;
	}
	if (search_has(list, full))
		free(full);
	else
		vec_push(list, full);
	return 0;
}

static int search_add_path(search_list *list, const char *path, struct err *e)
{
	char **parts;
	int ret = 0;

	if (!path)
		return 0;
	parts = str_split(path, ":", NULL);
	for (size_t i = 0; !ret && parts[i]; i++)
		ret = search_add(list, parts[i], "FSTRIAL_PLUGIN_PATH", e);
	str_freev(parts);
	return ret;
}

/* Build tree: plugins lie beside the binary, and none need be there. */
static int search_add_beside(search_list *list, struct err *e)
{
	_cleanup_free_ char *dir = NULL;
	char exe[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	char *slash;

	if (len < 0)
		return 0;
	exe[len] = '\0';
	slash = strrchr(exe, '/');
	if (!slash)
		return 0;
	*slash = '\0';
	dir = xasprintf("%s/plugins", exe);
	return search_add(list, dir, NULL, e);
}

int search_dirs(const char *const *given, size_t n_given, char ***dirs, size_t *n, struct err *e)
{
	search_list list = VEC_INIT;
	int ret = 0;

	for (size_t i = 0; !ret && i < n_given; i++)
		ret = search_add(&list, given[i], "--plugin-dir", e);
	if (!ret)
		ret = search_add_path(&list, getenv("FSTRIAL_PLUGIN_PATH"), e);
	if (!ret)
		ret = search_add_beside(&list, e);
	if (!ret)
		ret = search_add(&list, FSTRIAL_PLUGIN_DIR, NULL, e);
	*n = list.n;
	vec_push(&list, NULL);
	*dirs = list.v;
	if (ret) {
		str_freev(*dirs);
		*dirs = NULL;
		*n = 0;
	}
	return ret;
}

struct search_walk {
	search_list *list;
	const char *dir;
};

static int search_take(const char *name, void *arg)
{
	struct search_walk *w = arg;

	if (*name != '.' && str_ends(name, ".so"))
		vec_push(w->list, xasprintf("%s/%s", w->dir, name));
	return 0;
}

static int search_folder(search_list *list, const char *dir)
{
	struct search_walk w = { list, dir };

	return dir_each(dir, search_take, &w);
}

int search_files(const char *dir, char ***files, size_t *n, struct err *e)
{
	search_list list = VEC_INIT;
	int ret = search_folder(&list, dir);

	if (ret)
		err_set(e, -ret, "%s: cannot read plugin directory: %s", dir, strerror(-ret));
	for (uint32_t kind = FST_SETUP; !ret && kind <= FST_ENGINE; kind++) {
		_cleanup_free_ char *sub = xasprintf("%s/%s", dir, plugin_kind_name(kind));

		ret = search_folder(&list, sub);
		if (ret == -ENOENT || ret == -ENOTDIR)
			ret = 0;
		else if (ret)
			err_set(e, -ret, "%s: cannot read plugin directory: %s", sub,
				strerror(-ret));
	}
	*n = list.n;
	vec_push(&list, NULL);
	*files = list.v;
	if (ret) {
		str_freev(*files);
		*files = NULL;
		*n = 0;
	}
	return ret;
}

/* The kind that a file's folder stands for, or 0. */
static uint32_t search_folder_kind(const char *file)
{
	const char *end = strrchr(file, '/'), *start = end;
	size_t len;

	while (start > file && start[-1] != '/')
		start--;
	len = (size_t)(end - start);
	for (uint32_t kind = FST_SETUP; kind <= FST_ENGINE; kind++) {
		const char *name = plugin_kind_name(kind);

		if (strlen(name) == len && !strncmp(start, name, len))
			return kind;
	}
	return 0;
}

bool search_file_is(const char *file, uint32_t kind, const char *name)
{
	const char *base = strrchr(file, '/') + 1;
	size_t len = strlen(base) - strlen(".so");
	uint32_t folder = search_folder_kind(file);

	return strlen(name) == len && !strncmp(base, name, len) && (!folder || folder == kind);
}
