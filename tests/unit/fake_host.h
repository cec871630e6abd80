/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A host for unit tests of plugins: it records what a plugin tells it and answers as the test
 * said.
 *
 *     #define FSTRIAL_STATIC mkfs               first of all: names the plugin's descriptor
 *     #include "plugins/setup/mkfs.c"
 *
 *     struct fake_host *h = fake_host_new(&fstrial_plugin_mkfs);
 *
 *     fake_host_param(h, "fs", "xfs");          as in a job, by the plugin's own table
 *     fake_host_command(h, 1, "", "Usage:\n");  what the next command will do
 *     r = h->plugin->apply(&h->ctx);
 *     fake_host_find(&h->asked, "agcount") ...  h->error holds the text of the first fst_error()
 *     fake_host_free(h);
 *
 * A mistake of the test itself (an unknown parameter) aborts with a message. Nothing is shared
 * between two fake hosts.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fstrial/plugin.h>

struct fake_fact {
	char *key;
	char *value;
	uint32_t flags; /* of fst_asked() */
};

struct fake_list {
	size_t n;
	struct fake_fact *v;
};

struct fake_file {
	char *name;
	uint64_t size;
	uint32_t mode;
	uint32_t worker;
};

struct fake_op {
	uint64_t count;
	uint64_t bytes;
	uint64_t ns; /* sum of now - start */
};

#define FAKE_MAX_COMMANDS 8
#define FAKE_MAX_FILES 64
#define FAKE_MAX_OPS 16

struct fake_host {
	struct fst_ctx ctx; /* dir, device, sysfs, io, seed, nworkers: set what the test needs */
	struct fst_host table;
	const struct fstrial_plugin *plugin;

	char *error; /* the first text of fst_error(), or NULL */
	int err;     /* its errno, positive */
	struct fake_list saves;
	struct fake_list asked;
	struct fake_list in_force;
	struct fake_list notes;
	struct fake_list facts;	   /* fake_host_fact() */
	struct fake_list metrics;  /* values as %.17g */
	struct fake_list declared; /* fst_declare_metric(): "UNIT BETTER FLAGS" */
	int64_t kept;		   /* the last of fst_keep(), or 0 */
	struct fake_list warnings; /* key is "" */
	struct fake_list claims;   /* key is "" */
	struct fake_list cgroups;  /* key is "" */
	struct fake_list commands; /* key is "", value the argv joined by blanks */
	struct fake_list plans;	   /* fst_plan(): key is the file or "", value the text */
	char *dir;		   /* fst_set_dir() */
	char *device;		   /* fst_set_device() */
	bool no_tools;		   /* fst_find_tool() finds nothing */
	int save_fails;		   /* errno that fst_save() gives instead of saving; 0: none */

	struct {
		int exit_status;
		char *out;
		char *err;
	} answers[FAKE_MAX_COMMANDS]; /* fake_host_command() */
	size_t n_answers;

	int files_mode; /* mode of fst_files() + 1; 0: not called */
	struct fake_file files[FAKE_MAX_FILES];
	uint32_t n_files;
	struct fake_op ops[FAKE_MAX_OPS];
	uint64_t random; /* state of fst_random() */
	int stop;	 /* worker->stop points here */

	struct fake_list set; /* parameters given; owns the strings in cfg */
	void **memory;	      /* everything else to free */
	size_t n_memory;
};

/* The configuration holds the table's defaults; ctx.device and the like are NULL. */
struct fake_host *fake_host_new(const struct fstrial_plugin *plugin);
void fake_host_free(struct fake_host *h);
/* Gives a parameter as a job would: "4KiB", "true", "10s"; for FST_LIST each call adds one text. */
void fake_host_param(struct fake_host *h, const char *name, const char *value);
/* Several: "agcount=4;su=64KiB". Values without ';'. */
void fake_host_params(struct fake_host *h, const char *text);
/* What fst_fact(key) answers; NULL removes it. */
void fake_host_fact(struct fake_host *h, const char *key, const char *value);
/* Answers of fst_run_cmd(), in order; when none is left: exit status 0 and no output. */
void fake_host_command(struct fake_host *h, int exit_status, const char *out, const char *err);
/* The first value under key, or NULL. */
const char *fake_host_find(const struct fake_list *list, const char *key);
/* Forgets what was recorded, and the state, as a new child process would; saves and facts stay. */
void fake_host_next_process(struct fake_host *h);
/* revert as the host calls it: in a new process, with nothing but what was saved. */
int fake_host_revert(struct fake_host *h);
/* A worker of this host; free it with fake_worker_free(). */
struct fst_worker *fake_worker_new(struct fake_host *h, uint32_t index);
void fake_worker_free(struct fst_worker *w);
