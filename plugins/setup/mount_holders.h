/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mount: who keeps a mount point busy. */
#pragma once

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOUNT_MAX_HOLDERS 3

struct mount_holders {
	const char *dir;
	char text[512]; /* "bash (pid 12), /dev/loop4" */
	unsigned int n;
};

static inline bool mount_below(const char *path, const char *dir)
{
	size_t len = strlen(dir);

	return strncmp(path, dir, len) == 0 &&
	       (path[len] == '\0' || path[len] == '/' || path[len] == ' ');
}

static inline void mount_holder_add(struct mount_holders *h, const char *text)
{
	size_t used = strlen(h->text);

	if (h->n++ < MOUNT_MAX_HOLDERS)
		snprintf(h->text + used, sizeof(h->text) - used, "%s%s", used ? ", " : "", text);
}

/* First line of a small file. */
static inline bool mount_first_line(const char *path, char *buf, size_t size)
{
	FILE *f = fopen(path, "re");
	bool ok = f && fgets(buf, (int)size, f);

	if (f)
		fclose(f);
	if (ok)
		buf[strcspn(buf, "\n")] = '\0';
	return ok;
}

static inline bool mount_link_below(const char *path, const char *dir)
{
	char target[4096];
	ssize_t n = readlink(path, target, sizeof(target) - 1);

	if (n <= 0)
		return false;
	target[n] = '\0';
	return mount_below(target, dir);
}

static inline bool mount_fds_below(const char *pid, const char *dir)
{
	char path[512];
	struct dirent *e;
	bool found = false;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%s/fd", pid);
	d = opendir(path);
	while (d && !found && (e = readdir(d)) != NULL) {
		snprintf(path, sizeof(path), "/proc/%s/fd/%.32s", pid, e->d_name);
		found = mount_link_below(path, dir);
	}
	if (d)
		closedir(d);
	return found;
}

/* A file mapped into memory keeps the mount busy when its descriptor is long closed. */
static inline bool mount_text_below(const char *path, const char *dir)
{
	char *line = NULL, *at;
	size_t size = 0;
	bool found = false;
	FILE *f = fopen(path, "re");

	while (f && !found && getline(&line, &size, f) > 0) {
		line[strcspn(line, "\n")] = '\0';
		at = strchr(line, '/');
		found = at && mount_below(at, dir);
	}
	free(line);
	if (f)
		fclose(f);
	return found;
}

static inline bool mount_process_below(const char *pid, const char *dir)
{
	static const char *const links[] = { "cwd", "root", "exe" };
	char path[64];
	size_t i;

	for (i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
		snprintf(path, sizeof(path), "/proc/%.20s/%s", pid, links[i]);
		if (mount_link_below(path, dir))
			return true;
	}
	if (mount_fds_below(pid, dir))
		return true;
	snprintf(path, sizeof(path), "/proc/%.20s/maps", pid);
	return mount_text_below(path, dir);
}

static inline void mount_find_processes(struct mount_holders *h)
{
	char path[64], name[64], text[128];
	struct dirent *e;
	DIR *d = opendir("/proc");

	while (d && (e = readdir(d)) != NULL) {
		if (e->d_name[0] < '1' || e->d_name[0] > '9' ||
		    !mount_process_below(e->d_name, h->dir))
			continue;
		snprintf(path, sizeof(path), "/proc/%.20s/comm", e->d_name);
		if (!mount_first_line(path, name, sizeof(name)))
			snprintf(name, sizeof(name), "a process");
		snprintf(text, sizeof(text), "%s (pid %.20s)", name, e->d_name);
		mount_holder_add(h, text);
	}
	if (d)
		closedir(d);
}

static inline void mount_find_loops(struct mount_holders *h)
{
	char path[320], file[4096], text[384];
	struct dirent *e;
	DIR *d = opendir("/sys/block");

	while (d && (e = readdir(d)) != NULL) {
		if (strncmp(e->d_name, "loop", 4) != 0)
			continue;
		snprintf(path, sizeof(path), "/sys/block/%s/loop/backing_file", e->d_name);
		if (!mount_first_line(path, file, sizeof(file)) || !mount_below(file, h->dir))
			continue;
		snprintf(text, sizeof(text), "/dev/%s with an image on it", e->d_name);
		mount_holder_add(h, text);
	}
	if (d)
		closedir(d);
}

/* Mounts below, and swap files: the second field or the first. */
static inline void mount_find_lines(struct mount_holders *h, const char *table, int field,
				    const char *what)
{
	char line[4096], text[512], *p, *rest;
	FILE *f = fopen(table, "re");
	int i;

	while (f && fgets(line, sizeof(line), f)) {
		rest = line;
		p = strsep(&rest, " \t");
		for (i = 0; p && i < field; i++)
			p = strsep(&rest, " \t");
		if (!p || strcmp(p, h->dir) == 0 || !mount_below(p, h->dir))
			continue;
		snprintf(text, sizeof(text), "%s %.400s", what, p);
		mount_holder_add(h, text);
	}
	if (f)
		fclose(f);
}

/* Fills text with the first few that are found; empty when none is. */
static inline void mount_find_holders(struct mount_holders *h, const char *dir)
{
	memset(h, 0, sizeof(*h));
	h->dir = dir;
	mount_find_processes(h);
	mount_find_loops(h);
	mount_find_lines(h, "/proc/self/mountinfo", 4, "the mount");
	mount_find_lines(h, "/proc/swaps", 0, "the swap file");
	if (h->n > MOUNT_MAX_HOLDERS) {
		size_t used = strlen(h->text);

		snprintf(h->text + used, sizeof(h->text) - used, " and %u more",
			 h->n - MOUNT_MAX_HOLDERS);
	}
}
