/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sysctl: what the job asks for, checked against itself. */
#pragma once

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fstrial/plugin.h>

#define SYSCTL_MAX 48
#define SYSCTL_NAME_MAX 128
#define SYSCTL_VALUE_MAX 512

struct sysctl_cfg {
	struct fst_list set;
};

struct sysctl_setting {
	char name[SYSCTL_NAME_MAX];   /* below /proc/sys: "vm/dirty_bytes" */
	char value[SYSCTL_VALUE_MAX]; /* as the kernel will show it */
};

struct sysctl_state {
	size_t n;
	struct sysctl_setting v[SYSCTL_MAX];
};

/* Two ways to say one thing: a write to one sets the other to 0, and 0 itself is not taken for `bytes`. */
struct sysctl_pair {
	const char *bytes, *ratio;
};

static const struct sysctl_pair sysctl_pairs[] = {
	{ "vm/dirty_background_bytes", "vm/dirty_background_ratio" },
	{ "vm/dirty_bytes", "vm/dirty_ratio" },
	{ "vm/overcommit_kbytes", "vm/overcommit_ratio" },
};

/* Names that do something else than keep a value, or keep it for good. */
static const struct {
	const char *name, *why;
} sysctl_refused[] = {
	{ "vm/drop_caches", "it is no setting: use { setup = \"drop_caches\"; }" },
	{ "vm/compact_memory", "it is no setting but an order" },
	{ "kernel/modules_disabled", "the kernel never lets it be put back" },
	{ "kernel/kexec_load_disabled", "the kernel never lets it be put back" },
	{ "kernel/unprivileged_bpf_disabled", "the kernel may not let it be put back" },
	{ "kernel/yama/ptrace_scope", "the kernel may not let it be put back" },
	{ "kernel/ns_last_pid", "it changes by itself" },
};

static const struct sysctl_pair *sysctl_pair_of(const char *name)
{
	size_t i;

	for (i = 0; i < FST_COUNT(sysctl_pairs); i++)
		if (strcmp(name, sysctl_pairs[i].bytes) == 0 ||
		    strcmp(name, sysctl_pairs[i].ratio) == 0)
			return &sysctl_pairs[i];
	return NULL;
}

/* The other of its pair, or NULL. */
static const char *sysctl_partner(const char *name)
{
	const struct sysctl_pair *p = sysctl_pair_of(name);

	return !p ? NULL : strcmp(name, p->bytes) == 0 ? p->ratio : p->bytes;
}

static const struct sysctl_setting *sysctl_find(const struct sysctl_state *st, const char *name)
{
	size_t i;

	for (i = 0; name && i < st->n; i++)
		if (strcmp(st->v[i].name, name) == 0)
			return &st->v[i];
	return NULL;
}

/* "vm.dirty_ratio", as people write it: dots for slashes and slashes for dots. */
static const char *sysctl_dotted(const char *name, char *buf)
{
	size_t i;

	for (i = 0; i < SYSCTL_NAME_MAX - 1 && name[i]; i++)
		buf[i] = name[i] == '/' ? '.' : name[i] == '.' ? '/' : name[i];
	buf[i] = '\0';
	return buf;
}

/* Numbers in decimal, one blank between words: the same value always has the same text. */
static int sysctl_normal(char *buf, size_t size, const char *text)
{
	size_t n = 0, len;
	long long number;
	char *end;

	for (buf[0] = '\0'; *(text += strspn(text, " \t")); text += len) {
		len = strcspn(text, " \t");
		errno = 0;
		number = strtoll(text, &end, 0);
		if (!errno && end == text + len)
			n += (size_t)snprintf(buf + n, size - n, "%s%lld", n ? " " : "", number);
		else
			n += (size_t)snprintf(buf + n, size - n, "%s%.*s", n ? " " : "", (int)len,
					      text);
		if (n >= size)
			return -ENAMETOOLONG;
	}
	return 0;
}

/* "vm.dirty_ratio" or "vm/dirty_ratio", as sysctl(8) takes it: the first separator says which. */
static bool sysctl_name(char *buf, const char *from, size_t len)
{
	bool dots;
	size_t i;

	while (len && isspace((unsigned char)from[len - 1]))
		len--;
	if (len == 0 || len >= SYSCTL_NAME_MAX)
		return false;
	memcpy(buf, from, len);
	buf[len] = '\0';
	i = strcspn(buf, "./");
	dots = buf[i] == '.';
	for (i = 0; dots && i < len; i++)
		buf[i] = buf[i] == '.' ? '/' : buf[i] == '/' ? '.' : buf[i];
	if (!strchr(buf, '/') || buf[0] == '/' || buf[len - 1] == '/' || strstr(buf, "..") ||
	    strstr(buf, "//"))
		return false;
	return buf[strspn(
		       buf,
		       "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:@")] ==
	       '\0';
}

static int sysctl_add(struct fst_ctx *ctx, const char *name, const char *value)
{
	struct sysctl_state *st = ctx->state;
	char a[SYSCTL_NAME_MAX], b[SYSCTL_NAME_MAX];
	const char *partner = sysctl_partner(name);
	size_t i;

	for (i = 0; i < FST_COUNT(sysctl_refused); i++)
		if (strcmp(name, sysctl_refused[i].name) == 0)
			return fst_error(ctx, 0, "%s: %s", sysctl_dotted(name, a),
					 sysctl_refused[i].why);
	if (sysctl_find(st, name))
		return fst_error(ctx, 0, "%s is set twice", sysctl_dotted(name, a));
	if (sysctl_find(st, partner))
		return fst_error(ctx, 0,
				 "%s and %s: each sets the other to 0, only one can be in force",
				 sysctl_dotted(partner, a), sysctl_dotted(name, b));
	if (partner && strcmp(value, "0") == 0 && strcmp(name, sysctl_pair_of(name)->bytes) == 0)
		return fst_error(ctx, 0, "%s = 0 is not taken by the kernel: set %s instead",
				 sysctl_dotted(name, a), sysctl_dotted(partner, b));
	if (st->n == SYSCTL_MAX)
		return fst_error(ctx, E2BIG, "set: more than %d values", SYSCTL_MAX);
	snprintf(st->v[st->n].name, SYSCTL_NAME_MAX, "%s", name);
	snprintf(st->v[st->n++].value, SYSCTL_VALUE_MAX, "%s", value);
	return 0;
}

static int sysctl_add_line(struct fst_ctx *ctx, const char *line)
{
	char name[SYSCTL_NAME_MAX], value[SYSCTL_VALUE_MAX];
	const char *eq = strchr(line, '=');

	line += strspn(line, " \t");
	if (!eq || strchr(line, '\n') || sysctl_normal(value, sizeof(value), eq + 1) < 0 ||
	    !value[0])
		return fst_error(ctx, 0, "set: \"%s\" is not \"NAME = VALUE\"", line);
	if (!sysctl_name(name, line, (size_t)(eq - line)))
		return fst_error(ctx, 0, "set: \"%.*s\" is no name such as vm.dirty_ratio",
				 (int)(eq - line), line);
	return sysctl_add(ctx, name, value);
}

/*
 * Background writing begins at half of the limit where it would begin at the limit or behind it: that is not
 * what was asked for.
 */
static int sysctl_check_background(struct fst_ctx *ctx, const char *background, const char *limit)
{
	const struct sysctl_setting *b = sysctl_find(ctx->state, background);
	const struct sysctl_setting *l = sysctl_find(ctx->state, limit);
	char one[SYSCTL_NAME_MAX], two[SYSCTL_NAME_MAX];

	if (!b || !l || strtoull(b->value, NULL, 10) < strtoull(l->value, NULL, 10))
		return 0;
	if (strcmp(b->value, l->value) != 0)
		return fst_error(
			ctx, 0,
			"%s = %s is above %s = %s: the kernel would take half of the latter",
			sysctl_dotted(background, one), b->value, sysctl_dotted(limit, two),
			l->value);
	fst_warning(ctx, "%s is as large as %s: the kernel takes half of it",
		    sysctl_dotted(background, one), sysctl_dotted(limit, two));
	return 0;
}

/* Fills the state. Pure. */
static int sysctl_plan(struct fst_ctx *ctx)
{
	const struct sysctl_cfg *cfg = ctx->cfg;
	struct sysctl_state *st = ctx->state;
	int r = 0;
	size_t i;

	st->n = 0;
	for (i = 0; i < cfg->set.n && r == 0; i++)
		r = sysctl_add_line(ctx, cfg->set.v[i]);
	return r;
}

static int sysctl_check(struct fst_ctx *ctx)
{
	int r = sysctl_plan(ctx);

	if (r == 0)
		r = sysctl_check_background(ctx, sysctl_pairs[0].bytes, sysctl_pairs[1].bytes);
	if (r == 0)
		r = sysctl_check_background(ctx, sysctl_pairs[0].ratio, sysctl_pairs[1].ratio);
	return r;
}
