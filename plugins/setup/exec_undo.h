/* SPDX-License-Identifier: GPL-3.0-or-later */
/* exec: the call that puts back, kept as facts with everything in it filled in. */
#pragma once

#include "exec_server.h"

#define EXEC_FACT_ARGV "undo.argv" /* once a word, in order; likewise */
#define EXEC_FACT_ENV "undo.env"
#define EXEC_FACT_CWD "undo.cwd"
#define EXEC_FACT_BOOT "boot" /* of what a reboot undoes by itself */

/* Facts have no line breaks. */
static inline char *exec_fact_encode(const char *text)
{
	char *out = malloc(2 * strlen(text) + 1), *w = out;

	for (; out && *text; text++) {
		if (*text == '\n' || *text == '\\')
			*w++ = '\\';
		*w++ = *text == '\n' ? 'n' : *text;
	}
	if (out)
		*w = '\0';
	return out;
}

static inline char *exec_fact_decode(const char *text)
{
	char *out = malloc(strlen(text) + 1), *w = out;

	for (; out && *text; text++) {
		if (*text == '\\' && text[1])
			*w++ = *++text == 'n' ? '\n' : *text;
		else
			*w++ = *text;
	}
	if (out)
		*w = '\0';
	return out;
}

static inline int exec_fact_save(struct fst_ctx *ctx, const char *key, const char *text)
{
	char *line = exec_fact_encode(text);
	int r = line ? fst_save(ctx, key, line) : -ENOMEM;

	free(line);
	return r;
}

static inline int exec_undo_save(struct fst_ctx *ctx, const struct exec_call *c)
{
	size_t i;
	int r = 0;

	for (i = 0; i < c->argv.n && r == 0; i++)
		r = exec_fact_save(ctx, EXEC_FACT_ARGV, c->argv.v[i]);
	for (i = 0; i < c->env.n && r == 0; i++)
		r = exec_fact_save(ctx, EXEC_FACT_ENV, c->env.v[i]);
	return r == 0 ? exec_fact_save(ctx, EXEC_FACT_CWD, c->cwd) : r;
}

static inline int exec_undo_take(struct fst_ctx *ctx, const char *key, const char *value, void *arg)
{
	struct exec_call *c = arg;

	(void)ctx;
	if (strcmp(key, EXEC_FACT_ARGV) == 0)
		return exec_words_take(&c->argv, exec_fact_decode(value));
	if (strcmp(key, EXEC_FACT_ENV) == 0)
		return exec_words_take(&c->env, exec_fact_decode(value));
	if (strcmp(key, EXEC_FACT_CWD) == 0 && !c->cwd)
		c->cwd = exec_fact_decode(value);
	return 0;
}

/* Facts come the last one first. */
static inline void exec_words_reverse(struct exec_words *w)
{
	size_t i;

	for (i = 0; i < w->n / 2; i++) {
		char *swap = w->v[i];

		w->v[i] = w->v[w->n - 1 - i];
		w->v[w->n - 1 - i] = swap;
	}
}

/* Runs the call that was kept, if one was. A fact is missing when the session ended while they were saved: then
 * nothing had been done yet. */
static inline int exec_undo_run(struct fst_ctx *ctx)
{
	struct exec_call c = { { NULL, 0 }, { NULL, 0 }, NULL };
	struct fst_cmd_result res = { 0 };
	int r = fst_saved_each(ctx, exec_undo_take, &c);

	exec_words_reverse(&c.argv);
	exec_words_reverse(&c.env);
	if (r == 0 && c.argv.n && c.cwd) {
		r = exec_call_run(ctx, &c, NULL, &res);
		if (r == 0)
			r = exec_judge(ctx, NULL, &c, &res);
	}
	exec_call_free(&c);
	return r;
}
