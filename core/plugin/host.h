/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The host table that plugins call, over what one step's process knows and gathers. What leaves the
 * process (undo facts, command log) goes through the sinks, which core/run provides.
 */
#pragma once

#include <errno.h>
#include <fstrial/plugin.h>
#include <jansson.h>
#include <pthread.h>

#include "core/plugin/registry.h"
#include "core/util/err.h"
#include "core/util/proc.h"

/* fst_error() with 0: the plugin's words are all there is to say, no errno of the kernel's is behind them. */
#define HOST_REFUSED EREMOTEIO

enum { HOST_ROOM = 256 };

struct host_fact {
	char *key, *value;
};

struct host_sinks {
	/* Undo fact, on disk when it returns 0. */
	int (*save)(void *arg, const char *key, const char *value, struct err *e);
	/* An external command ended. */
	void (*command)(void *arg, const char *const *argv, const struct proc_result *res);
	/* Text of a fact, the caller's to free; NULL when not known. */
	char *(*fact)(void *arg, const char *key);
	bool (*is_set)(void *arg, const char *param);
	/* "mkfs.xfs" -> "6.1.0"; NULL when not known. */
	const char *(*tool_version)(void *arg, const char *program);
	void *arg;
};

struct host {
	/* Zeroed room behind what plugins see: one that was built for a newer ABI reads "absent" there. */
	struct fst_host table;
	char table_room[HOST_ROOM];
	struct fst_ctx ctx;
	char ctx_room[HOST_ROOM];
	struct fst_ctx engine_ctx;
	char engine_ctx_room[HOST_ROOM];
	const struct plugin *plugin;
	struct host_sinks sinks;
	struct err err;	  /* the first failure of the step */
	json_t *record;	  /* warnings [], notes {}, asked {key: {value, must}}, in_force {}, kept [pid] */
	struct host_fact *saved; /* revert: oldest first */
	size_t n_saved;
	char *new_dir;	  /* by fst_set_dir() */
	char *new_device; /* by fst_set_device() */
	json_t *cgroups;  /* by fst_set_cgroup(): texts, or NULL */
	struct fst_metric *declared; /* by fst_declare_metric() */
	uint32_t n_declared;
	char **claims;	  /* by fst_claim() */
	size_t n_claims;
	pthread_mutex_t lock; /* err and record, which worker threads reach too */
	void *priv;	      /* core/run's */
	bool probing;	      /* in probe */
	char **lent;	      /* texts lent to the plugin until the callback returns */
	size_t n_lent;
};

/* Binds table, ctx and plugin. ctx fields but host and core are the caller's to fill. */
void host_init(struct host *h, const struct plugin *p, const struct host_sinks *sinks);
/* A callback returned: what was lent to the plugin for its duration goes. */
void host_end_callback(struct host *h);
void host_release(struct host *h);
/* metrics.c: fst_declare_metric(), and what it allocated. */
int host_declare(struct fst_ctx *ctx, const struct fst_metric *raw, uint32_t size);
void host_release_declared(struct host *h);
struct host *host_of(const struct fst_ctx *ctx);
/* For probe and check of a step's engine: h's context as it is, with the engine's own parameters, and no state. */
struct fst_ctx *host_engine_ctx(struct host *h, const void *cfg);
