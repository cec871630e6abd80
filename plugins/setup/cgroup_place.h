/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cgroup: where this machine has a controller, and where a group of ours may be made. */
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Unit tests have files of their own. */
#ifndef CGROUP_PROC
#define CGROUP_PROC "/proc/self"
#endif

#define CGROUP_TEXT_MAX 65536

enum cgroup_controller {
	CGROUP_MEMORY = 1u << 0,
	CGROUP_IO = 1u << 1,
};

/* By bit, as version 1 and 2 call them. */
static const char *const cgroup_names[][2] = { { "memory", "memory" }, { "blkio", "io" } };

struct cgroup_place {
	unsigned int controllers; /* that a group made here will have */
	int version;		  /* 1 or 2; 0: there is none */
	char parent[PATH_MAX];
	bool enable; /* version 2: the parent does not give them to its children yet */
};

/* Text of a small file; false when it cannot be read. */
static bool cgroup_read(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t n = 0;
	ssize_t got = 1;

	text[0] = '\0';
	if (fd < 0)
		return false;
	while (n < size - 1 && (got = read(fd, text + n, size - 1 - n)) > 0)
		n += (size_t)got;
	close(fd);
	text[n] = '\0';
	return got >= 0;
}

/* Is word one of those in list, between separators? */
static bool cgroup_has_word(const char *list, const char *seps, const char *word)
{
	size_t len;

	for (list += strspn(list, seps); *list; list += strspn(list, seps)) {
		len = strcspn(list, seps);
		if (len == strlen(word) && memcmp(list, word, len) == 0)
			return true;
		list += len;
	}
	return false;
}

static bool cgroup_file_has_word(const char *dir, const char *file, const char *word)
{
	char path[PATH_MAX + 32], text[1024];

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	return cgroup_read(path, text, sizeof(text)) && cgroup_has_word(text, " \n", word);
}

/*
 * Where the hierarchy is mounted that has the controller (version 1), or the one of version 2: mount point, and
 * what of the hierarchy is mounted there.
 */
static bool cgroup_mount(const char *mountinfo, int version, const char *controller, char *point,
			 char *root)
{
	char copy[4096], type[64], options[1024], *line;
	const char *at, *end;

	for (at = mountinfo; *at; at = *end ? end + 1 : end) {
		end = at + strcspn(at, "\n");
		if ((size_t)(end - at) >= sizeof(copy))
			continue;
		memcpy(copy, at, (size_t)(end - at));
		copy[end - at] = '\0';
		line = strstr(copy, " - ");
		if (!line || sscanf(line, " - %63s %*s %1023s", type, options) != 2 ||
		    strcmp(type, version == 2 ? "cgroup2" : "cgroup") != 0 ||
		    (version == 1 && !cgroup_has_word(options, ",", controller)))
			continue;
		if (sscanf(copy, "%*s %*s %*s %4095s %4095s", root, point) == 2)
			return true;
	}
	return false;
}

/* The group that this process is in: lines "NUMBER:CONTROLLERS:PATH"; version 2 has no controllers there. */
static bool cgroup_own(const char *cgroups, int version, const char *controller, char *path)
{
	char copy[4096], *names, *own;
	const char *at, *end;

	for (at = cgroups; *at; at = *end ? end + 1 : end) {
		end = at + strcspn(at, "\n");
		if ((size_t)(end - at) >= sizeof(copy))
			continue;
		memcpy(copy, at, (size_t)(end - at));
		copy[end - at] = '\0';
		names = strchr(copy, ':');
		own = names ? strchr(names + 1, ':') : NULL;
		if (!own)
			continue;
		*own++ = '\0';
		if (version == 2 ? names[1] : !cgroup_has_word(names + 1, ",", controller))
			continue;
		snprintf(path, PATH_MAX, "%s", own);
		return true;
	}
	return false;
}

/* The directory of our own group. A container may see a part of the hierarchy only: then the top of that. */
static void cgroup_own_dir(const char *point, const char *root, const char *own, char *dir)
{
	size_t n = strcmp(root, "/") == 0 ? 0 : strlen(root);

	if (strncmp(own, root, n) != 0 || strcmp(own, "/") == 0 || strstr(own, ".."))
		own = "";
	else
		own += n;
	if (snprintf(dir, PATH_MAX, "%s%s", point, own) >= PATH_MAX || access(dir, F_OK) < 0)
		snprintf(dir, PATH_MAX, "%s", point);
}

/*
 * A group of version 2 with processes gives its children no controllers. So ours becomes a child of the nearest
 * group above that gives them, in the end of the topmost, which may be told to.
 */
static void cgroup_climb(struct cgroup_place *p, const char *point, const char *const *names,
			 size_t n)
{
	char *slash;
	size_t i;

	for (;;) {
		if (strlen(p->parent) > strlen(point)) {
			slash = strrchr(p->parent, '/');
			*slash = '\0';
		}
		for (i = 0; i < n; i++)
			if (!cgroup_file_has_word(p->parent, "cgroup.subtree_control", names[i]))
				break;
		p->enable = i < n;
		if (!p->enable || strlen(p->parent) <= strlen(point))
			return;
	}
}

/* All of the wanted controllers in one place of one version; false when there is none. */
static bool cgroup_find(unsigned int controllers, int version, struct cgroup_place *p)
{
	char text[CGROUP_TEXT_MAX], point[PATH_MAX], root[PATH_MAX], own[PATH_MAX] = "/";
	char file[PATH_MAX];
	const char *names[2];
	size_t i, n = 0;

	for (i = 0; i < 2; i++)
		if (controllers & (1u << i))
			names[n++] = cgroup_names[i][version - 1];
	snprintf(file, sizeof(file), "%s/mountinfo", CGROUP_PROC);
	if (!cgroup_read(file, text, sizeof(text)) ||
	    !cgroup_mount(text, version, names[0], point, root))
		return false;
	for (i = 0; version == 2 && i < n; i++)
		if (!cgroup_file_has_word(point, "cgroup.controllers", names[i]))
			return false;
	snprintf(file, sizeof(file), "%s/cgroup", CGROUP_PROC);
	if (cgroup_read(file, text, sizeof(text)))
		cgroup_own(text, version, names[0], own);
	*p = (struct cgroup_place){ .controllers = controllers, .version = version };
	cgroup_own_dir(point, root, own, p->parent);
	if (version == 2)
		cgroup_climb(p, point, names, n);
	return true;
}

/*
 * Places for the wanted controllers: of version 2 one for all, of version 1 one each. Their number; the
 * controllers that are nowhere are in *missing.
 */
static size_t cgroup_places(unsigned int wanted, struct cgroup_place *v, unsigned int *missing)
{
	unsigned int in_v2 = 0, bit;
	size_t n = 0;

	*missing = 0;
	for (bit = CGROUP_MEMORY; bit <= CGROUP_IO; bit <<= 1) {
		if (!(wanted & bit))
			continue;
		if (cgroup_find(bit, 1, &v[n]))
			n++;
		else if (cgroup_find(bit, 2, &v[n]))
			in_v2 |= bit;
		else
			*missing |= bit;
	}
	if (in_v2 && cgroup_find(in_v2, 2, &v[n]))
		n++;
	return n;
}
