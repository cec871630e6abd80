/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * exec: %{name} in texts, and the same as environment variables. ${name} is the job's own and is replaced when the
 * job is read; what is only known while a trial runs needs another sign.
 */
#pragma once

#include <inttypes.h>

#include "exec_words.h"

static const struct exec_place {
	const char *name, *variable;
	const char *missing; /* why it may not be there */
} exec_places[] = {
	{ "dir", "FSTRIAL_DIR", "no file system is mounted at this step" },
	{ "device", "FSTRIAL_DEVICE", "the target is a directory" },
	{ "devices", "FSTRIAL_DEVICES", "the target is a directory" },
	{ "sysfs", "FSTRIAL_SYSFS", "the target is a directory" },
	{ "size", "FSTRIAL_SIZE", "the target's size is not known" },
	{ "seed", "FSTRIAL_SEED", "" },
};

#define EXEC_PLACE_MAX 4096

/* The target's devices, with blanks between them; NULL: none. */
static inline const char *exec_place_devices(const struct fst_ctx *ctx, char room[EXEC_PLACE_MAX])
{
	size_t n = 0;
	uint32_t i;

	for (i = 0; i < ctx->n_devices && n < EXEC_PLACE_MAX; i++)
		n += (size_t)snprintf(room + n, EXEC_PLACE_MAX - n, "%s%s", i ? " " : "", ctx->devices[i]);
	return n && n < EXEC_PLACE_MAX ? room : NULL;
}

/* Its text, or NULL where there is none; room is for one that has to be made. */
static inline const char *exec_place_text(struct fst_ctx *ctx, const struct exec_place *p, char room[EXEC_PLACE_MAX])
{
	if (strcmp(p->name, "dir") == 0)
		return ctx->dir;
	if (strcmp(p->name, "devices") == 0)
		return exec_place_devices(ctx, room);
	if (strcmp(p->name, "device") == 0)
		return ctx->device;
	if (strcmp(p->name, "sysfs") == 0)
		return ctx->sysfs;
	if (strcmp(p->name, "size") == 0)
		return fst_fact(ctx, "target.size");
	/* Of a size that every program takes. */
	snprintf(room, EXEC_PLACE_MAX, "%" PRIu64, ctx->seed >> 33);
	return room;
}

/* The place that text, behind "%{", begins with; NULL: no such name. *end is behind the brace. */
static inline const struct exec_place *exec_place_find(const char *text, const char **end)
{
	const char *brace = strchr(text, '}');
	size_t i;

	if (!brace)
		return NULL;
	*end = brace + 1;
	for (i = 0; i < FST_COUNT(exec_places); i++)
		if (strlen(exec_places[i].name) == (size_t)(brace - text) &&
		    strncmp(exec_places[i].name, text, (size_t)(brace - text)) == 0)
			return &exec_places[i];
	return NULL;
}

/* Is every %{name} one that there is? For check. "%%{" is "%{" as it stands; any other % is one. */
static inline int exec_places_check(struct fst_ctx *ctx, const char *param, const char *text)
{
	const char *p, *end;

	for (p = text; (p = strstr(p, "%{")) != NULL; p = end) {
		end = p + 2;
		if (p > text && p[-1] == '%')
			continue;
		if (!exec_place_find(p + 2, &end))
			return fst_error(ctx, 0,
					 "%s: \"%s\": unknown place; there are %%{dir} %%{device} %%{devices} %%{sysfs} "
					 "%%{size} %%{seed}, and %%%%{ stands for %%{",
					 param, text);
	}
	return 0;
}

/* A fresh text with all places filled in, or NULL with the error said. */
static inline char *exec_places_fill(struct fst_ctx *ctx, const char *param, const char *text)
{
	const char *p = text, *at, *value;
	const struct exec_place *place;
	char room[EXEC_PLACE_MAX], *out = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&out, &size);

	if (!f)
		goto nomem;
	for (; (at = strstr(p, "%{")) != NULL; fputs(value, f)) {
		if (at > p && at[-1] == '%') {
			fprintf(f, "%.*s", (int)(at - 1 - p), p);
			value = "%{";
			p = at + 2;
			continue;
		}
		fprintf(f, "%.*s", (int)(at - p), p);
		place = exec_place_find(at + 2, &p);
		value = place ? exec_place_text(ctx, place, room) : NULL;
		if (value)
			continue;
		fclose(f);
		free(out);
		fst_error(ctx, 0, "%s: \"%s\": %s", param, text, place ? place->missing : "unknown place");
		return NULL;
	}
	fputs(p, f);
	if (fclose(f) == 0)
		return out;
	free(out);
nomem:
	fst_error(ctx, ENOMEM, "%s", param);
	return NULL;
}

/* FSTRIAL_DIR=... for each that is there. */
static inline int exec_places_env(struct fst_ctx *ctx, struct exec_words *env)
{
	const char *value;
	char room[EXEC_PLACE_MAX];
	size_t i;
	int r = 0;

	for (i = 0; i < FST_COUNT(exec_places) && r == 0; i++) {
		value = exec_place_text(ctx, &exec_places[i], room);
		if (value)
			r = exec_words_add(env, "%s=%s", exec_places[i].variable, value);
	}
	return r;
}
