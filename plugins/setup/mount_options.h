/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mount: the comma list of options that users write for mount(8), and what the kernel made of
 * each.
 */
#pragma once

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>

#include <fstrial/plugin.h>

#include "mount_log.h"

#define MOUNT_MAX_OPTIONS 64
#define MOUNT_MAX_TEXT 4096

struct mount_option {
	const char *name;
	const char *value; /* NULL: a flag */
};

struct mount_options {
	size_t n;
	struct mount_option v[MOUNT_MAX_OPTIONS];
	char text[MOUNT_MAX_TEXT];
};

enum mount_word {
	MOUNT_WORD_FS = 0,	/* for the file system, as it is written */
	MOUNT_WORD_ATTR = 1,	/* of this mount */
	MOUNT_WORD_BOTH = 2,	/* of this mount and, under the same name, of the file system */
	MOUNT_WORD_NOTHING = 3, /* means something to mount(8) or fstab only */
	MOUNT_WORD_REFUSED = 4, /* would make another thing than a mount of the target */
};

/* Words that do not simply go to the file system. */
struct mount_flag {
	const char *name;
	int word;
	uint64_t set;
	uint64_t clear;
	const char *gone_with; /* in force when none of these words is shown; NULL: shown itself */
};

static const struct mount_flag mount_flags[] = {
	{ "ro", MOUNT_WORD_BOTH, MOUNT_ATTR_RDONLY, 0, NULL },
	{ "rw", MOUNT_WORD_BOTH, 0, MOUNT_ATTR_RDONLY, "ro" },
	{ "nosuid", MOUNT_WORD_ATTR, MOUNT_ATTR_NOSUID, 0, NULL },
	{ "suid", MOUNT_WORD_ATTR, 0, MOUNT_ATTR_NOSUID, "nosuid" },
	{ "nodev", MOUNT_WORD_ATTR, MOUNT_ATTR_NODEV, 0, NULL },
	{ "dev", MOUNT_WORD_ATTR, 0, MOUNT_ATTR_NODEV, "nodev" },
	{ "noexec", MOUNT_WORD_ATTR, MOUNT_ATTR_NOEXEC, 0, NULL },
	{ "exec", MOUNT_WORD_ATTR, 0, MOUNT_ATTR_NOEXEC, "noexec" },
	{ "nosymfollow", MOUNT_WORD_ATTR, MOUNT_ATTR_NOSYMFOLLOW, 0, NULL },
	{ "symfollow", MOUNT_WORD_ATTR, 0, MOUNT_ATTR_NOSYMFOLLOW, "nosymfollow" },
	{ "nodiratime", MOUNT_WORD_ATTR, MOUNT_ATTR_NODIRATIME, 0, NULL },
	{ "diratime", MOUNT_WORD_ATTR, 0, MOUNT_ATTR_NODIRATIME, "nodiratime" },
	{ "noatime", MOUNT_WORD_ATTR, MOUNT_ATTR_NOATIME, MOUNT_ATTR__ATIME, NULL },
	{ "relatime", MOUNT_WORD_ATTR, MOUNT_ATTR_RELATIME, MOUNT_ATTR__ATIME, NULL },
	{ "atime", MOUNT_WORD_ATTR, MOUNT_ATTR_RELATIME, MOUNT_ATTR__ATIME, "noatime" },
	{ "strictatime", MOUNT_WORD_ATTR, MOUNT_ATTR_STRICTATIME, MOUNT_ATTR__ATIME,
	  "noatime,relatime" },
	{ "norelatime", MOUNT_WORD_ATTR, MOUNT_ATTR_STRICTATIME, MOUNT_ATTR__ATIME,
	  "noatime,relatime" },
	{ "nostrictatime", MOUNT_WORD_ATTR, MOUNT_ATTR_RELATIME, MOUNT_ATTR__ATIME, NULL },
	{ "async", MOUNT_WORD_FS, 0, 0, "sync" },
	{ "nolazytime", MOUNT_WORD_FS, 0, 0, "lazytime" },
	{ "defaults", MOUNT_WORD_NOTHING, 0, 0, "" },
	{ "auto", MOUNT_WORD_NOTHING, 0, 0, "" },
	{ "noauto", MOUNT_WORD_NOTHING, 0, 0, "" },
	{ "nofail", MOUNT_WORD_NOTHING, 0, 0, "" },
	{ "_netdev", MOUNT_WORD_NOTHING, 0, 0, "" },
	{ "user", MOUNT_WORD_NOTHING, 0, 0, "" },
	{ "users", MOUNT_WORD_NOTHING, 0, 0, "" },
	{ "nouser", MOUNT_WORD_NOTHING, 0, 0, "" },
	{ "bind", MOUNT_WORD_REFUSED, 0, 0, NULL },
	{ "rbind", MOUNT_WORD_REFUSED, 0, 0, NULL },
	{ "move", MOUNT_WORD_REFUSED, 0, 0, NULL },
	{ "remount", MOUNT_WORD_REFUSED, 0, 0, NULL },
	{ "loop", MOUNT_WORD_REFUSED, 0, 0, NULL },
	{ "offset", MOUNT_WORD_REFUSED, 0, 0, NULL },
	{ "sizelimit", MOUNT_WORD_REFUSED, 0, 0, NULL },
};

/*
 * Flags of file systems that the kernel always shows when they are in force, so that their
 * absence tells something. Other flags may be defaults, which ext4, say, does not show.
 */
static const char *const mount_shown[] = {
	"sync",	     "dirsync",	      "lazytime",    "wsync",	   "swalloc",
	"largeio",   "noalign",	      "filestreams", "nouuid",	   "inode64",
	"inode32",   "norecovery",    "nobarrier",   "nodelalloc", "journal_async_commit",
	"noload",    "discard",	      "autodefrag",  "nodatacow",  "nodatasum",
	"notreelog", "flushoncommit", "degraded",    "ssd_spread",
};

/* Keys with a value that the kernel always shows when they are in force. */
static const char *const mount_shown_keys[] = {
	"logbufs", "logbsize", "allocsize", "sunit",	      "swidth", "logdev",   "rtdev",
	"dax",	   "stripe",   "compress",  "compress-force", "subvol", "subvolid",
};

/* Keys that name the device of an external log. */
static const char *const mount_log_keys[] = { "logdev", "journal_path", "journal_dev" };

/* Keys behind which a file system takes a further device. */
static const char *const mount_device_keys[] = { "logdev", "rtdev", "journal_path", "device" };

static inline const struct mount_flag *mount_flag_find(const char *name)
{
	size_t i;

	for (i = 0; i < FST_COUNT(mount_flags); i++)
		if (strcmp(mount_flags[i].name, name) == 0)
			return &mount_flags[i];
	return NULL;
}

static inline bool mount_in(const char *const *names, size_t n, const char *name)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

/* Commas within double quotes do not separate. -E2BIG: too long or too many. */
static inline int mount_parse(struct mount_options *o, const char *text)
{
	char *p = o->text, *eq;
	bool quoted = false;
	char *start;

	o->n = 0;
	if (strlen(text) >= sizeof(o->text))
		return -E2BIG;
	memcpy(o->text, text, strlen(text) + 1);
	while (*p) {
		p += strspn(p, ", \t");
		if (!*p)
			break;
		for (start = p; *p && (quoted || *p != ','); p++)
			if (*p == '"')
				quoted = !quoted;
		if (*p)
			*p++ = '\0';
		if (o->n == MOUNT_MAX_OPTIONS)
			return -E2BIG;
		eq = strchr(start, '=');
		if (eq)
			*eq = '\0';
		o->v[o->n].name = start;
		o->v[o->n++].value = eq ? eq + 1 : NULL;
	}
	return quoted ? -EINVAL : 0;
}

/* Nothing is asked of the kernel by it: a word for mount(8), or one that a later word replaces. */
static inline bool mount_idle(const struct mount_options *o, size_t i)
{
	const struct mount_flag *f = mount_flag_find(o->v[i].name), *g;

	if ((f && f->word == MOUNT_WORD_NOTHING) || strncmp(o->v[i].name, "x-", 2) == 0)
		return true;
	for (size_t j = i + 1; j < o->n; j++) {
		g = mount_flag_find(o->v[j].name);
		if (strcmp(o->v[i].name, o->v[j].name) == 0 ||
		    (f && g && ((f->set | f->clear) & (g->set | g->clear))))
			return true;
	}
	return false;
}

/* ---- in force -------------------------------------------------------------------------------- */

/* "256k" -> 262144; false when it is no number with a size's unit. */
static inline bool mount_size(const char *text, uint64_t *bytes)
{
	static const char units[] = "kmgt";
	const char *u;
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	*bytes = strtoull(text, &end, 0);
	if (errno)
		return false;
	if (*end) {
		u = strchr(units, *end | 0x20);
		if (!u || end[1])
			return false;
		*bytes <<= 10 * (u - units + 1);
	}
	return true;
}

static inline bool mount_same_value(const char *a, const char *b)
{
	uint64_t x, y;

	size_t len = strlen(a);

	if (strcmp(a, b) == 0)
		return true;
	/* "zstd" is "zstd:3", the level that goes without saying */
	if (len && strncmp(a, b, len) == 0 && b[len] == ':')
		return true;
	return mount_size(a, &x) && mount_size(b, &y) && x == y;
}

/* Finds an option in a comma list. *value: what is behind '=', not terminated; *len its length. */
static inline bool mount_shows(const char *list, const char *name, const char **value, size_t *len)
{
	size_t n = strlen(name);

	for (; *list; list += strspn(list, ",")) {
		size_t all = strcspn(list, ",");

		if (strncmp(list, name, n) == 0 && (all == n || list[n] == '=')) {
			*value = all == n ? list + n : list + n + 1;
			*len = all == n ? 0 : all - n - 1;
			return true;
		}
		list += all;
	}
	return false;
}

static inline bool mount_shows_any(const char *list, const char *words)
{
	char word[32];
	const char *v;
	size_t len;

	for (; *words; words += *words == ',') {
		size_t n = strcspn(words, ",");

		if (n < sizeof(word)) {
			memcpy(word, words, n);
			word[n] = '\0';
			if (mount_shows(list, word, &v, &len))
				return true;
		}
		words += n;
	}
	return false;
}

/* Flags that are values in what the kernel shows, or the other way round. */
static inline const char *mount_barrier_in_force(const char *list)
{
	const char *v;
	size_t len;

	if (mount_shows(list, "nobarrier", &v, &len))
		return "0";
	if (mount_shows(list, "barrier", &v, &len))
		return len && *v == '0' ? "0" : "1";
	return NULL;
}

static inline const char *mount_flag_in_force(const char *list, const char *name)
{
	const struct mount_flag *f = mount_flag_find(name);
	char other[64];
	const char *v;
	size_t len;

	/* The kernel's default: who asks for atime is to know that it is not strict. */
	if (strcmp(name, "atime") == 0 && mount_shows(list, "relatime", &v, &len))
		return "relatime";
	if (f && f->gone_with)
		return mount_shows_any(list, f->gone_with) ? "no" : "yes";
	if (f && strcmp(name, "nostrictatime") == 0)
		name = "relatime";
	if (mount_shows(list, name, &v, &len))
		return "yes";
	if (strncmp(name, "no", 2) == 0 && mount_in(mount_shown, FST_COUNT(mount_shown), name + 2))
		return mount_shows(list, name + 2, &v, &len) ? "no" : "yes";
	if ((f && f->word != MOUNT_WORD_FS) || mount_in(mount_shown, FST_COUNT(mount_shown), name))
		return "no";
	snprintf(other, sizeof(other), "%s%s", strncmp(name, "no", 2) == 0 ? "" : "no",
		 strncmp(name, "no", 2) == 0 ? name + 2 : name);
	if (mount_shows(list, other, &v, &len))
		return "no";
	return NULL;
}

/*
 * What became of an option, by the kernel's list: for a flag "yes" or "no"; for a value the
 * asked spelling when it is the same, what is shown else, "default" when the kernel would show
 * another and does not. NULL: nothing can be said. buf holds the text.
 */
static inline const char *mount_option_in_force(const char *list, const struct mount_option *o,
						char *buf, size_t size)
{
	const char *v;
	size_t len;

	if (!o->value)
		return mount_flag_in_force(list, o->name);
	if (strcmp(o->name, "barrier") == 0)
		return mount_barrier_in_force(list);
	if (!mount_shows(list, o->name, &v, &len))
		return mount_in(mount_shown_keys, FST_COUNT(mount_shown_keys), o->name) ? "default"
											: NULL;
	snprintf(buf, size, "%.*s", (int)len, v);
	return mount_same_value(o->value, buf) ? o->value : buf;
}

/*
 * What the kernel shows of the mount, and of ext also its defaults, which it shows elsewhere: "barrier",
 * "data=ordered", "commit=5".
 */
static inline void mount_all_options(struct fst_ctx *ctx, const char *type, const char *shown,
				     char *list, size_t size)
{
	char name[64], path[128], line[256];
	size_t n = (size_t)snprintf(list, size, "%s", shown);
	FILE *f;

	if (!type || strncmp(type, "ext", 3) != 0 || !ctx->device)
		return;
	mount_kernel_name(ctx->device, name, sizeof(name));
	snprintf(path, sizeof(path), "/proc/fs/ext4/%s/options", name);
	f = fopen(path, "re");
	while (f && n < size && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		n += (size_t)snprintf(list + n, size - n, ",%s", line);
	}
	if (f)
		fclose(f);
}
