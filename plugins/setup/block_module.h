/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Is a driver in the running kernel, or can it be loaded? */
#pragma once

#include <sys/utsname.h>

#include "block_sys.h"

/* Is a line of the file, up to the first blank or its end, this word? */
static inline bool block_file_has_word(const char *path, const char *word)
{
	char line[512], *p;
	bool found = false;
	FILE *f = fopen(path, "re");

	while (f && !found && fgets(line, sizeof(line), f)) {
		p = line + strspn(line, " \t");
		if (*p >= '0' && *p <= '9') /* "253 device-mapper" in /proc/devices */
			p += strspn(p, "0123456789 \t");
		p[strcspn(p, " \t\n")] = '\0';
		found = strcmp(p, word) == 0;
	}
	if (f)
		fclose(f);
	return found;
}

static inline bool block_file_mentions(const char *path, const char *word)
{
	char line[1024];
	bool found = false;
	FILE *f = fopen(path, "re");

	while (f && !found && fgets(line, sizeof(line), f))
		found = strstr(line, word) != NULL;
	if (f)
		fclose(f);
	return found;
}

/* ".../dm-delay.ko.xz:" or "kernel/drivers/md/dm-delay.ko" for "dm-delay". */
static inline bool block_is_module_line(const char *line, const char *module)
{
	const char *end = strstr(line, ".ko"), *p = end;
	size_t i, len = strlen(module);

	if (!end)
		return false;
	while (p > line && p[-1] != '/')
		p--;
	if ((size_t)(end - p) != len)
		return false;
	for (i = 0; i < len; i++)
		if (p[i] != module[i] &&
		    !((p[i] == '-' || p[i] == '_') && (module[i] == '-' || module[i] == '_')))
			return false;
	return true;
}

static inline bool block_module_listed(const char *list, const char *module)
{
	char line[4096];
	bool found = false;
	FILE *f = fopen(list, "re");

	while (f && !found && fgets(line, sizeof(line), f))
		found = block_is_module_line(line, module);
	if (f)
		fclose(f);
	return found;
}

static inline bool block_module_loaded(const char *module)
{
	char name[64], path[BLOCK_PATH_MAX];
	size_t i;

	snprintf(name, sizeof(name), "%s", module);
	for (i = 0; name[i]; i++)
		if (name[i] == '-')
			name[i] = '_';
	snprintf(path, sizeof(path), "/sys/module/%s", name);
	return access(path, F_OK) == 0;
}

/*
 * Loaded, built in, or there to be loaded. Where modules live in some other place (the kernel is told by
 * /proc/sys/kernel/modprobe how to load one) nobody can say beforehand: then it may be.
 */
static inline bool block_module_possible(const char *module)
{
	static const char *const lists[] = { "modules.builtin", "modules.dep" };
	char path[BLOCK_PATH_MAX], loader[BLOCK_PATH_MAX] = "";
	struct utsname u;
	FILE *f;
	size_t i;

	if (block_module_loaded(module))
		return true;
	if (uname(&u) < 0)
		return false;
	for (i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		snprintf(path, sizeof(path), "/lib/modules/%.100s/%s", u.release, lists[i]);
		if (block_module_listed(path, module))
			return true;
	}
	f = fopen("/proc/sys/kernel/modprobe", "re");
	if (!f || !fgets(loader, sizeof(loader), f))
		loader[0] = '\0';
	if (f)
		fclose(f);
	loader[strcspn(loader, "\n")] = '\0';
	return loader[0] && strcmp(loader, "/sbin/modprobe") != 0 && access(loader, X_OK) == 0;
}

/* probe: a kernel that cannot have this module. what: "dm-delay (dm type = delay)". */
static inline int block_need_module(struct fst_ctx *ctx, const char *module)
{
	struct utsname u;

	if (block_module_possible(module))
		return 0;
	return fst_error(
		ctx, EOPNOTSUPP,
		"the kernel (%s) has no %s: neither built in, loaded, nor below /lib/modules",
		uname(&u) == 0 ? u.release : "?", module);
}
