/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A host just large enough to run one workload step in a test: workload_execute() with all that it
 * needs.
 */
#pragma once

#include <CUnit/CUnit.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstrial/plugin.h>
#include <jansson.h>

#include "core/io/clock.h"
#include "core/io/loop.h"
#include "core/io/workload.h"
#include "core/util/file.h"
#include "core/util/json.h"

struct io_host {
	struct fst_ctx ctx;
	struct fst_host table;
	struct workload wl;
	struct step_options opt;
	struct io_params p;
	struct fst_io_options options;
	struct err err;
	pthread_mutex_t lock;
	json_t *record;
	char dir[256];
};

static inline int _printf_(3, 0)
	io_host_error(struct fst_ctx *ctx, int err, const char *fmt, va_list ap)
{
	struct io_host *h = ctx->core;

	pthread_mutex_lock(&h->lock);
	err_setv(&h->err, err, fmt, ap);
	pthread_mutex_unlock(&h->lock);
	return err ? -err : -EINVAL;
}

/* record.notes.KEY */
static inline void io_host_note(struct fst_ctx *ctx, const char *key, const char *value)
{
	struct io_host *h = ctx->core;

	if (!json_object_get(h->record, "notes"))
		js_set(h->record, "notes", js_object());
	js_set(json_object_get(h->record, "notes"), key, js_str(value));
}

static inline struct workload *io_host_workload(struct fst_ctx *ctx)
{
	return &((struct io_host *)ctx->core)->wl;
}

/* One worker, bs 4 KiB, size 64 KiB, in a directory of its own below $TMPDIR. */
static inline void io_host_init(struct io_host *h, const struct fstrial_plugin *workload,
				const struct fstrial_plugin *engine, const void *cfg)
{
	const char *tmp = getenv("TMPDIR");

	memset(h, 0, sizeof(*h));
	pthread_mutex_init(&h->lock, NULL);
	h->table.struct_size = sizeof(h->table);
	h->table.abi = FST_ABI;
	h->table.error = io_host_error;
	h->table.note = io_host_note;
	host_io_fill(&h->table, io_host_workload);
	h->ctx.host = &h->table;
	h->ctx.core = h;
	h->ctx.cfg = cfg;
	h->ctx.seed = 7;
	h->ctx.nworkers = 1;
	snprintf(h->dir, sizeof(h->dir), "%s/fstrial-test-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(h->dir)) {
		perror(h->dir);
		abort();
	}
	h->ctx.dir = h->dir;
	h->p = (struct io_params){ .iodepth = 1,
				   .bs = 4096,
				   .size = 65536,
				   .nrfiles = 1,
				   .loops = 1,
				   .time_based = true };
	h->wl = (struct workload){
		.ctx = &h->ctx, .desc = workload, .engine = engine, .opt = &h->opt, .err = &h->err
	};
	h->wl.io = workload->next ? &h->p : NULL;
}

/* Runs the step again, with a fresh record. */
static inline int io_host_run(struct io_host *h)
{
	int r;

	json_decref(h->record);
	h->record = js_object();
	js_set(h->record, "warnings", js_array());
	err_clear(&h->err);
	h->options = io_options_of(&h->p, &h->opt);
	h->ctx.io = &h->options;
	if (!h->wl.live)
		h->wl.live = live_new(h->ctx.nworkers);
	r = workload_execute(&h->wl, h->record);
	CU_ASSERT_EQUAL(h->err.code, -r);
	return r;
}

static inline void io_host_free(struct io_host *h)
{
	struct err e = { 0 };

	if (h->wl.live)
		live_free(h->wl.live, h->wl.live->n_workers);
	json_decref(h->record);
	CU_ASSERT_EQUAL(dir_remove_tree(h->dir, &e), 0);
	pthread_mutex_destroy(&h->lock);
}

/* Member of the record by a path with dots; NULL when it is not there. */
static inline const json_t *io_host_at(const struct io_host *h, const char *path)
{
	const json_t *v = h->record;
	char key[64];

	while (v && *path) {
		size_t len = strcspn(path, ".");

		snprintf(key, sizeof(key), "%.*s", (int)len, path);
		v = json_object_get(v, key);
		path += len + (path[len] == '.');
	}
	return v;
}

static inline uint64_t io_host_u64(const struct io_host *h, const char *path)
{
	const json_t *v = io_host_at(h, path);

	return json_is_integer(v) ? (uint64_t)json_integer_value(v) : UINT64_MAX;
}

/* -1 when it is not a number. */
static inline double io_host_real(const struct io_host *h, const char *path)
{
	const json_t *v = io_host_at(h, path);

	return json_is_number(v) ? json_number_value(v) : -1;
}

static inline const char *io_host_str(const struct io_host *h, const char *path)
{
	const char *s = json_string_value(io_host_at(h, path));

	return s ? s : "";
}

/* Is part in one of the warnings? */
static inline bool io_host_warned(const struct io_host *h, const char *part)
{
	const json_t *v;
	size_t i;

	json_array_foreach(json_object_get(h->record, "warnings"), i,
			   v) if (strstr(json_string_value(v), part)) return true;
	return false;
}

static inline char *io_host_path(const struct io_host *h, const char *name, char *buf, size_t size)
{
	snprintf(buf, size, "%s/%s", h->dir, name);
	return buf;
}
