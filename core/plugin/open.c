/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opens one plugin file: permissions, dlopen, symbol, descriptor. */
#include "core/plugin/open.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <string.h>
#include <sys/stat.h>

#include "core/plugin/element.h"
#include "core/util/str.h"
#include "core/util/units.h"
#include "core/util/xalloc.h"

#define OPEN_SYMBOL "fstrial_plugin"

/* Who became root to run us: sudo and pkexec say so. Root's own environment is root's to trust. */
static bool open_is_caller(uid_t uid)
{
	static const char *const names[] = { "SUDO_UID", "PKEXEC_UID" };

	if (uid == 0 || uid == getuid())
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const char *text = getenv(names[i]);
		struct err ignored = { 0 };
		uint64_t caller;

		if (text && !units_parse_u64(text, &caller, &ignored) && caller == uid)
			return true;
	}
	return false;
}

/* what: "" for the file itself, or "its directory " to begin the reason with. */
static int open_check_path(const char *path, const char *what, struct err *e)
{
	struct stat st;

	if (stat(path, &st))
		return err_set(e, errno, "%scannot be looked at: %m", what);
	if (!open_is_caller(st.st_uid))
		return err_set(
			e, EPERM,
			"%sis owned by uid %u, neither root nor the caller: not opened as root",
			what, (unsigned int)st.st_uid);
	if (st.st_mode & S_IWOTH)
		return err_set(e, EPERM,
			       "%sis writable by others: not opened as root (chmod o-w %s)", what,
			       path);
	if (st.st_mode & S_IWGRP)
		return err_set(e, EPERM,
			       "%sis writable by its group: not opened as root (chmod g-w %s)",
			       what, path);
	return 0;
}

/* Code that runs as root comes from files that only root and the caller can change. */
static int open_check_owner(const char *file, struct err *e)
{
	_cleanup_free_ char *real = NULL, *dir = NULL;
	int ret;

	if (geteuid() != 0)
		return 0;
	dir = xstrdup(file);
	*strrchr(dir, '/') = '\0';
	ret = open_check_path(*dir ? dir : "/", "its directory ", e);
	if (ret)
		return ret;
	real = realpath(file, NULL);
	if (!real)
		return err_set(e, errno, "cannot be looked at: %m");
	ret = open_check_path(real, "", e);
	if (ret)
		return ret;
	/* Where a link leads to, the folder counts too. */
	free(dir);
	dir = xstrdup(real);
	*strrchr(dir, '/') = '\0';
	return open_check_path(*dir ? dir : "/", "the directory that it leads to ", e);
}

/* dlopen() of a FIFO would wait for a writer for ever. */
static int open_check_type(const char *file, struct err *e)
{
	struct stat st;

	if (stat(file, &st))
		return err_set(e, errno, "cannot be looked at: %m");
	return S_ISREG(st.st_mode) ? 0 : err_set(e, EINVAL, "is not a regular file");
}

/* What dlerror() says, without the path in front. */
static const char *open_dl_reason(const char *file)
{
	const char *text = dlerror();
	size_t len = strlen(file);

	if (!text)
		return "no reason given";
	if (!strncmp(text, file, len) && str_starts(text + len, ": "))
		return text + len + 2;
	return text;
}

/* The symbol table knows how long the descriptor really is. */
static int open_check_symbol(const void *symbol, struct err *e)
{
#ifdef __GLIBC__
	const struct fstrial_plugin *raw = symbol;
	const ElfW(Sym) *sym = NULL;
	void *extra = NULL;
	Dl_info info;

	if (!dladdr1(symbol, &info, &extra, RTLD_DL_SYMENT) || !extra)
		return 0;
	sym = extra;
	if (ELF64_ST_TYPE(sym->st_info) != STT_OBJECT ||
	    sym->st_size < offsetof(struct fstrial_plugin, kind))
		return err_set(e, EINVAL, "its symbol " OPEN_SYMBOL " is not a descriptor");
	if (raw->magic == FST_MAGIC && raw->abi == FST_ABI && raw->struct_size > sym->st_size)
		return err_set(e, EINVAL,
			       "struct_size %u is more than the %zu bytes of " OPEN_SYMBOL,
			       raw->struct_size, (size_t)sym->st_size);
#else
	(void)symbol;
	(void)e;
#endif
	return 0;
}

int plugin_open(const char *file, struct plugin **out, struct err *e)
{
	struct plugin *p;
	void *handle;
	const void *symbol;
	int ret = open_check_owner(file, e);

	*out = NULL;
	if (!ret)
		ret = open_check_type(file, e);
	if (ret)
		return ret;
	handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
	if (!handle)
		return err_set(e, ENOEXEC, "cannot be opened: %s", open_dl_reason(file));
	symbol = dlsym(handle, OPEN_SYMBOL);
	if (!symbol)
		return err_set(e, EINVAL, "has no symbol " OPEN_SYMBOL ": not a plugin of fstrial");
	ret = open_check_symbol(symbol, e);
	if (ret)
		return ret;
	p = xcalloc(1, sizeof(*p));
	p->handle = handle;
	p->file = xstrdup(file);
	ret = plugin_validate(symbol, file, &p->desc, e);
	if (ret) {
		plugin_free(p);
		return ret;
	}
	if (p->desc.engine) {
		element_engine(p->desc.engine, &p->engine);
		p->desc.engine = &p->engine;
	}
	*out = p;
	return 0;
}

void plugin_free(struct plugin *p)
{
	if (!p)
		return;
	free(p->file);
	free(p);
}
