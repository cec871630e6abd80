/* SPDX-License-Identifier: MIT */
/*
 * fstrial plugin ABI, version 1. The only header a plugin includes.
 *
 * A plugin is one shared object that exports one constant, `fstrial_plugin`, by the macro
 * FSTRIAL_PLUGIN(). It links against nothing of fstrial: everything it may ask of the host is in the
 * table `ctx->host`, reached by the inline functions at the end of this file. Build it with
 *
 *     cc -shared -fPIC -fvisibility=hidden -Wl,-z,defs -o NAME.so NAME.c $(pkg-config --cflags fstrial)
 *
 * LIFE OF A STEP. A job file uses plugins in steps. For each trial every step gets a child process of
 * its own, so a plugin that crashes, hangs or exits fails its step and nothing else.
 *
 *     at load      magic, sizes, names, tables are checked; no code of the plugin is run
 *     fstrial check  check
 *     setup step     probe, check, apply        one child
 *                    readback                   another child, after all setup steps of the trial
 *                    revert                     another child, in reverse order of the steps
 *     workload step  probe, check, prepare,     one child
 *                    N threads: worker_init, [all wait for each other] run or next/done, worker_fini
 *                    verify, cleanup
 *     fstrial recover  revert                   for what a killed session left
 *
 * CONFIG. The job's parameters are parsed, checked against the plugin's table, defaulted and stored
 * in a structure of the plugin's (`ctx->cfg`, cfg_size bytes) by the host. A plugin never parses.
 *
 * ERRORS. A callback returns 0 or a negative errno. It says why with fst_error() once, at the
 * cause; the first text wins, callers just pass the number on:
 * `return fst_error(ctx, errno, "open %s", path);`. Without a text the words of the errno are shown.
 * -EOPNOTSUPP from probe means "cannot work here": the step is skipped with the reason. After a failure
 * of prepare, run, next or done the host still calls worker_fini and cleanup, not verify.
 *
 * OWNERSHIP. Strings and tables that a plugin gives are static or are copied by the host before the
 * call returns. Strings that the host gives belong to the host and live until the callback returns
 * (those in cfg: until the last callback of this process). Nobody frees the other side's memory.
 *
 * THREADS. Callbacks with a `struct fst_ctx` run in the main thread of the child. worker_init, run,
 * next, done and worker_fini run in the worker's own thread and may use only functions that take a
 * `struct fst_worker`, and fst_error(), fst_warning() and fst_now(). Workers share nothing but what the
 * plugin shares by itself. What fst_worker_metric() refuses in worker_fini fails the step by itself.
 *
 * FORBIDDEN in a plugin: printing, exit and abort, signals, chdir, umask, setlocale, rand(), system(),
 * changing the environment, file-scope data that is not const, and in the timed path (run, next, done,
 * engine calls) allocation, locks and retries that hide an error. Open files with O_CLOEXEC.
 *
 * UNITS. Sizes in bytes, times in nanoseconds, everywhere.
 *
 * BUFFERS. Before next() is called for a write, the core has filled the slot's buffer and stamped eight
 * bytes in each 4 KiB of it, so that no two blocks are equal; it never touches the buffer between next()
 * and the completion, nor on FST_DONE_AGAIN.
 *
 * ABI PROMISE. Structures only grow at their end; zero or NULL means "absent". The meaning of a field or an
 * enum value never changes. A plugin built against an older header of the same FST_ABI goes on loading
 * and working. One built against a newer header loads as long as what the host does not know is zero
 * in its descriptor and tables; before it uses what is newer it looks at host->struct_size, and the
 * host's structures have zeroed room behind them, so that what an older host does not set reads as absent.
 */
#ifndef FSTRIAL_PLUGIN_H
#define FSTRIAL_PLUGIN_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FST_MAGIC 0x4c525446u /* "FTRL" in memory on a little-endian machine */
#define FST_ABI 1u

#if defined(__GNUC__)
#define FST_PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))
#define FST_EXPORT __attribute__((visibility("default")))
#else
#define FST_PRINTF(fmt, first)
#define FST_EXPORT
#endif

struct fst_ctx;
struct fst_worker;
struct fst_io;
struct fst_engine;

/* ---- what a plugin is ------------------------------------------------------------------------ */

enum fst_kind {
	FST_SETUP = 1,	  /* changes the machine for a trial, and back */
	FST_WORKLOAD = 2, /* is measured */
	FST_ENGINE = 3,	  /* carries I/O to the kernel for data workloads */
};

/* ---- parameters ------------------------------------------------------------------------------ */

/* The C type at `offset` in the configuration is given behind each. */
enum fst_type {
	FST_BOOL = 1, /* bool */
	FST_I64 = 2,  /* int64_t */
	FST_U64 = 3,  /* uint64_t */
	FST_F64 = 4,  /* double */
	FST_STR = 5,  /* const char *; NULL when absent */
	FST_PATH = 6, /* const char *; made absolute by the host; NULL when absent */
	FST_ENUM = 7, /* int: the value of the choice */
	FST_SIZE = 8, /* uint64_t, bytes; in the job a text with a unit ("4KiB"), or of ram or target */
	FST_TIME = 9, /* uint64_t, ns; in the job a text with a unit ("10s") */
	FST_LIST = 10, /* struct fst_list: texts; in the job an array, a list or one text */
};

struct fst_list {
	size_t n;
	const char *const *v;
};

struct fst_choice {
	const char *name; /* as written in the job */
	int value;
	const char *doc; /* one sentence */
};

enum fst_param_flag {
	FST_REQUIRED = 1u << 0,	  /* the job must give it */
	FST_DEPRECATED = 1u << 1, /* still works, warns */
};

struct fst_param {
	const char *name;  /* snake_case; fio's name where fio has the thing, else the tool's own */
	const char *alias; /* a second name, or NULL */
	uint32_t type;	   /* enum fst_type */
	uint32_t flags;	   /* enum fst_param_flag */
	size_t offset;	   /* offsetof() in the configuration */
	/*
	 * Default and bounds as text, in the syntax users write ("4KiB", "10s"); NULL: none. A
	 * parameter without default that the job does not give is zero (see fst_is_set()).
	 */
	const char *def;
	const char *min;
	const char *max;
	const struct fst_choice *choices; /* FST_ENUM */
	uint32_t n_choices;
	uint32_t choice_size; /* sizeof(struct fst_choice) */
	const char *unit;     /* for people: "files", "KiB"; NULL when the type says it */
	const char *doc;      /* one sentence, required */
	uint32_t size;	      /* sizeof the field, held against the type; 0: not said. FST_AT() sets it */
	uint32_t reserved;    /* 0 */
};

/* `FST_AT(struct x_cfg, files)` in a parameter: where its value goes, and how large that is. */
#define FST_AT(cfg, field) .offset = offsetof(cfg, field), .size = sizeof(((cfg *)0)->field)

/* ---- what is measured ------------------------------------------------------------------------ */

enum fst_better {
	FST_NEUTRAL = 0,
	FST_HIGHER = 1,
	FST_LOWER = 2,
};

/* How values that several workers give are made one. */
enum fst_agg {
	FST_SUM = 0,
	FST_MEAN = 1,
	FST_MAX = 2,
	FST_MIN = 3,
};

enum fst_metric_flag {
	FST_PRIMARY = 1u << 0, /* what verdicts look at */
};

struct fst_metric {
	const char *name;  /* stable key in the result */
	const char *unit;  /* one of: "ops/s" "bytes/s" "ns" "bytes" "count" "ratio" */
	uint32_t better;   /* enum fst_better */
	uint32_t agg;	   /* enum fst_agg, for fst_worker_metric() */
	uint32_t flags;	   /* enum fst_metric_flag */
	uint32_t reserved; /* 0 */
	const char *doc;   /* one sentence, required */
};

enum fst_op_flag {
	FST_OP_INNER = 1u << 0, /* part of another operation: has a latency, is not counted in rates and series */
};

/*
 * A kind of operation that is timed apart: by fst_op(), whose number is the index here, or as fst_io.kind
 * of a data workload.
 */
struct fst_op_kind {
	const char *name; /* key of its latency in the result */
	const char *doc;
	uint32_t flags;	  /* enum fst_op_flag */
	uint32_t reserved;
};

/* A program that a plugin runs. Its version is asked once a session and kept in the result. */
struct fst_tool {
	const char *program;	 /* "mkfs.xfs" */
	const char *version_arg; /* "-V"; NULL when it has none */
	const char *package;	 /* "xfsprogs": what to install when it is missing */
};

/* What a step will do, for `fstrial plan`. */
struct fst_estimate {
	uint32_t struct_size;
	uint32_t reserved;
	uint64_t bytes_read;
	uint64_t bytes_written;
	uint64_t files;
	uint64_t time_ns; /* 0: not known */
	/* A setup's: true where what it does stays, although it has a revert: there is nothing to put back. */
	bool stays;
};

/* ---- data workloads -------------------------------------------------------------------------- */

enum fst_io_op {
	FST_IO_READ = 0,
	FST_IO_WRITE = 1,
	FST_IO_TRIM = 2,
	FST_IO_FSYNC = 3,
	FST_IO_FDATASYNC = 4,
};

/* One I/O on its way through workload, core and engine. */
struct fst_io {
	uint64_t offset; /* bytes into the file */
	uint64_t length; /* bytes; at most fst_io_options.buffer_size */
	void *buf;	 /* the slot's buffer, set by the core: for a write, filled already */
	uint32_t file;	 /* number that fst_file_add() gave, or of fst_files() */
	uint16_t op;	 /* enum fst_io_op */
	uint16_t kind;	 /* 0: counted by its op; k: as the plugin's fst_op_kind k-1. 0 when next is called */
	int64_t result;	 /* from the engine: bytes moved, or negative errno */
	uint64_t tag;	 /* the workload's own */
	uint64_t engine[2]; /* the engine's own */
};

enum fst_next {
	FST_NEXT_IO = 0,   /* io is filled in: submit it */
	FST_NEXT_END = 1,  /* this worker has no more */
	FST_NEXT_WAIT = 2, /* nothing until another I/O of this worker completes */
};

enum fst_done {
	FST_DONE = 0,	    /* the slot is free */
	FST_DONE_AGAIN = 1, /* io was changed: submit it again, same slot, same buffer */
};

enum fst_file_mode {
	FST_FILE_READ = 0,	/* must be there whole; made and filled, untimed, if not */
	FST_FILE_CREATE = 1,	/* made new and empty; one of an earlier step of the trial is replaced */
	FST_FILE_OVERWRITE = 2, /* must be there whole, and is written in place */
	FST_FILE_AS_IS = 3,	/* must be there (prepare made it); opened for reading and writing, never filled */
};

#define FST_EVERY_WORKER 0xffffffffu

struct fst_file {
	const char *name; /* relative to ctx->dir, no ".."; copied */
	uint64_t size;	  /* bytes that will be there, or will be written */
	uint32_t mode;	  /* enum fst_file_mode */
	uint32_t worker;  /* whose file it is, or FST_EVERY_WORKER */
	uint64_t reserved[4]; /* 0 */
};

/* Of all I/Os, percent have this block size; shares sum to 100. */
struct fst_bs_share {
	uint64_t bs;
	uint32_t percent;
	uint32_t reserved;
};

/*
 * Parameters that the core reads for every data workload (`fstrial plugins io` lists them), as far
 * as a workload may want them. Grows at its end.
 */
struct fst_io_options {
	uint32_t struct_size;
	uint32_t iodepth;
	uint64_t bs;	   /* bytes an I/O; with bssplit the smallest of them */
	uint64_t size;	   /* bytes a worker does in one loop, over all its files */
	uint64_t nrfiles;  /* files a worker */
	uint64_t loops;	   /* times the size is done; without end where time_based says so */
	bool direct;
	bool time_based;   /* starts over at the end of the size until the runtime is over */
	bool overwrite;	   /* write in place into files laid out before */
	uint8_t file_service_type; /* enum fst_file_service */
	uint32_t rwmixread;	   /* percent of a mix that are reads */
	uint64_t offset;	   /* where in each file work begins, this worker's increment not included */
	uint64_t offset_increment; /* added once for each worker's index */
	const struct fst_bs_share *bssplit; /* or NULL: every I/O has bs */
	uint32_t n_bssplit;
	bool norandommap;	   /* a random block may come again before all did; true of skewed ones */
	uint64_t buffer_size;	   /* of fst_io.buf: the largest block size */
	uint32_t sync;		   /* enum fst_sync */
	uint32_t reserved;
	const char *filename; /* see fst_on_device() */
};

/* Whether each write is on stable storage when it is complete: how files are opened. */
enum fst_sync {
	FST_SYNC_NONE = 0,
	FST_SYNC_SYNC = 1,  /* O_SYNC */
	FST_SYNC_DSYNC = 2, /* O_DSYNC */
};

enum fst_file_service {
	FST_SEQUENTIAL_FILES = 0, /* one file after the other */
	FST_ROUNDROBIN_FILES = 1, /* one I/O each, in turn */
};

/* ---- contexts -------------------------------------------------------------------------------- */

/* What a callback works on. Made by the host; a plugin changes nothing in it but *state. */
struct fst_ctx {
	const struct fst_host *host;
	const void *cfg; /* the plugin's configuration; NULL in revert */
	void *state;	 /* state_size zeroed bytes, for the callbacks of one child process */
	const char *dir; /* where files are worked on; NULL before there is a place. NULL in revert */
	const char *device; /* block device under trial, or NULL in a directory. NULL in revert */
	const char *sysfs;  /* "/sys/block/NAME" of that device's whole disk, or NULL */
	const struct fst_io_options *io; /* data workloads; else NULL */
	uint64_t seed;			 /* of this step in this trial */
	uint32_t nworkers;		 /* numjobs; 0 in setup */
	uint32_t struct_size;		 /* of the host's structure */
	void *core; /* the host's own */
	/*
	 * The target's own block devices, all of them confirmed; the first is `device` when the trial begins,
	 * and they stay the same when a step makes another one the trial's. NULL in check and revert.
	 */
	const char *const *devices;
	uint32_t n_devices; /* 0: the target is a directory */
	uint32_t reserved;  /* 0 */
};

/* One thread of a workload. */
struct fst_worker {
	struct fst_ctx *ctx;
	void *state;	 /* worker_size zeroed bytes on a cache line of their own */
	const int *stop; /* see fst_stopping() */
	uint32_t index;	 /* 0 .. nworkers-1 */
	uint32_t struct_size; /* of the host's structure */
	void *core; /* the host's own */
	uint64_t counts_from_ns; /* run: what ends before (ramp_time) does not count; 0: all does */
};

enum fst_engine_file_flag {
	FST_FILE_IS_DEVICE = 1u << 0, /* a block device: it has its size, and a trim is BLKDISCARD */
};

/* Engines index an array of these, so it never grows: what more is ever known of files comes beside it. */
struct fst_engine_file {
	int fd;		/* open as direct asks; the core closes it */
	uint32_t flags; /* enum fst_engine_file_flag */
	uint64_t size;	/* bytes the file has, or will have */
};

/* One engine instance: one a worker. */
struct fst_engine {
	struct fst_worker *worker;
	const void *cfg; /* the engine's own parameters */
	void *state;	 /* state_size zeroed bytes */
	const struct fst_engine_file *files; /* by fst_io.file; fd -1 where it is not this worker's */
	uint32_t n_files;
	uint32_t depth;	      /* I/Os in flight at most */
	void *buffers;	      /* depth buffers of buffer_size each, page-aligned */
	uint64_t buffer_size; /* bytes, a multiple of 4096 */
};

enum fst_engine_flag {
	FST_ENGINE_SYNC = 1u << 0,    /* queue() completes the I/O: depth is 1 */
	FST_ENGINE_NO_FILES = 1u << 1, /* touches no file: none is made, filled or opened */
	/*
	 * SYNC, and queue() touches mapped files: SIGBUS there does not end the process but fails the I/O. queue()
	 * does not return then, so it holds nothing while it copies.
	 */
	FST_ENGINE_MAPPED = 1u << 2,
};

struct fst_engine_ops {
	uint32_t struct_size; /* sizeof(struct fst_engine_ops) */
	uint32_t flags;	      /* enum fst_engine_flag */
	uint32_t max_depth;   /* 0: no limit of its own */
	uint32_t reserved;
	int (*open)(struct fst_engine *e); /* optional */
	/*
	 * Takes one I/O. 1: completed, io->result is set. 0: queued. -EAGAIN: full, submit and reap
	 * first. Other negative errno: it could not be queued. The I/O stays the core's memory.
	 */
	int (*queue)(struct fst_engine *e, struct fst_io *io);
	/*
	 * Hands what is queued to the kernel, at the latest in the reap() that the core calls next, so that
	 * one system call can do both. Number handed over, or negative errno. Not for SYNC.
	 */
	int (*submit)(struct fst_engine *e);
	/*
	 * Waits until at least min I/Os are complete, stores up to max of them in done and returns
	 * their number. min 0: does not wait. Not for SYNC.
	 */
	int (*reap)(struct fst_engine *e, uint32_t min, struct fst_io **done, uint32_t max);
	void (*close)(struct fst_engine *e); /* optional */
};

/* ---- the descriptor -------------------------------------------------------------------------- */

/* A host refuses flags below bit 32 that it does not know; from bit 32 on they are hints. */
enum fst_flag {
	FST_NEEDS_ROOT = 1u << 0,	 /* skipped, with that reason, for a plain user */
	FST_NEEDS_DEVICE = 1u << 1,	 /* has no meaning for a target that is a directory */
	FST_DESTROYS_DEVICE = 1u << 2,	 /* what is on the target's device is lost: the guard decides */
	FST_VOLATILE = 1u << 3,		 /* its changes are gone after a reboot by themselves */
	FST_DROPS_CACHES = 1u << 4,	 /* reads after it are cold */
	FST_NEEDS_DIR = 1u << 5,	 /* a mounted file system or a directory must be there */
	FST_PROVIDES_DIR = 1u << 6,	 /* apply calls fst_set_dir() */
	FST_SIZES_ITSELF = 1u << 7,	 /* data workload with parameters of its own for sizes: `size` may be absent, 0 */
	FST_PROVIDES_DEVICE = 1u << 8,	 /* apply calls fst_set_device() */
	FST_DECLARES_METRICS = 1u << 9,	 /* workload: check calls fst_declare_metric(): metrics depend on parameters */
	FST_ON_DEVICE = 1u << 10,	 /* data workload that can do without files: see fst_on_device() */
};

struct fstrial_plugin {
	uint32_t magic;	      /* FST_MAGIC */
	uint32_t abi;	      /* FST_ABI */
	uint32_t struct_size; /* sizeof(struct fstrial_plugin) */
	uint32_t kind;	      /* enum fst_kind */
	const char *name;     /* as written in jobs: [a-z][a-z0-9_]*, the file's name without .so */
	const char *version;  /* of the plugin: results of different versions are not compared */
	const char *summary;  /* one line */
	const char *description; /* what it does, what it measures, its traps; lines by \n */
	const struct fst_param *params;
	uint32_t n_params;
	uint32_t param_size; /* sizeof(struct fst_param); likewise below */
	const struct fst_metric *metrics;
	uint32_t n_metrics;
	uint32_t metric_size;
	const struct fst_op_kind *ops; /* workloads with `run` */
	uint32_t n_ops;
	uint32_t op_size;
	const struct fst_tool *tools;
	uint32_t n_tools;
	uint32_t tool_size;
	size_t cfg_size;
	size_t state_size;
	size_t worker_size;
	uint64_t flags;	      /* enum fst_flag */
	uint32_t max_workers; /* 0: any number */
	uint32_t reserved;

	/* Can it work here? Looks, changes nothing. -EOPNOTSUPP with a reason: the step is skipped. */
	int (*probe)(struct fst_ctx *ctx);
	/*
	 * Do the parameters fit each other? Pure: no file, no device, no clock; runs at load for every
	 * variant without root, ctx->dir and ctx->device are NULL. An error is the job's error. An engine
	 * is asked too, by probe and check, with its own parameters in ctx->cfg and the step's in ctx->io.
	 */
	int (*check)(struct fst_ctx *ctx);
	/* What it will do, for `fstrial plan`: amounts in est, a setup's changes by fst_plan(). Pure, like check. */
	int (*estimate)(struct fst_ctx *ctx, struct fst_estimate *est);

	/*
	 * Setup. Changes the machine. Before each change that must be put back it gives the facts for
	 * that to fst_save(), and says with fst_asked() what was asked.
	 */
	int (*apply)(struct fst_ctx *ctx);
	/*
	 * Setup. Puts back what was changed, from the facts of fst_save() alone (fst_saved()), in another
	 * process, perhaps after apply failed or died half way, perhaps twice. What is
	 * already as it was is no error. Required when apply uses fst_save().
	 */
	int (*revert)(struct fst_ctx *ctx);
	/* Setup. After all setup steps: says with fst_in_force() what is so. Changes nothing. */
	int (*readback)(struct fst_ctx *ctx);

	/* Workload. Untimed: makes ready what run needs. */
	int (*prepare)(struct fst_ctx *ctx);
	int (*worker_init)(struct fst_worker *w); /* untimed, in the worker's thread */
	/*
	 * Workload, either: does its operations until it has done its work or fst_stopping(), timing
	 * each with fst_op().
	 */
	int (*run)(struct fst_worker *w);
	/*
	 * Workload, or: a data workload. Says what comes next (enum fst_next, or negative errno), and
	 * what after a completion (enum fst_done, or negative errno; optional; io->result is not
	 * negative, errors are the core's). Offset, length, file and op are to be set; buf is given.
	 */
	int (*next)(struct fst_worker *w, struct fst_io *io);
	int (*done)(struct fst_worker *w, struct fst_io *io);
	void (*worker_fini)(struct fst_worker *w);
	int (*verify)(struct fst_ctx *ctx);  /* untimed: is what was written right? */
	int (*cleanup)(struct fst_ctx *ctx); /* untimed: removes what prepare and run left */

	/* Engine. */
	const struct fst_engine_ops *engine;
};

/*
 * Defines the exported descriptor: FSTRIAL_PLUGIN(.kind = FST_WORKLOAD, .name = "x", ...). Compiled
 * with -DFSTRIAL_STATIC=NAME the constant is called fstrial_plugin_NAME, so that several plugins fit into one
 * test program.
 */
#ifdef FSTRIAL_STATIC
#define FST_SYMBOL__(n) fstrial_plugin_##n
#define FST_SYMBOL_(n) FST_SYMBOL__(n)
#define FST_SYMBOL FST_SYMBOL_(FSTRIAL_STATIC)
#else
#define FST_SYMBOL fstrial_plugin
#endif

#define FSTRIAL_PLUGIN(...)                                             \
	extern FST_EXPORT const struct fstrial_plugin FST_SYMBOL;       \
	FST_EXPORT const struct fstrial_plugin FST_SYMBOL = {           \
		.magic = FST_MAGIC, .abi = FST_ABI,                      \
		.struct_size = sizeof(struct fstrial_plugin), __VA_ARGS__ \
	}

/* Tables in a descriptor: `FST_PARAMS(x_params)` sets pointer, count and element size. */
#define FST_COUNT(a) ((uint32_t)(sizeof(a) / sizeof((a)[0])))
#define FST_PARAMS(a) .params = (a), .n_params = FST_COUNT(a), .param_size = sizeof((a)[0])
#define FST_METRICS(a) .metrics = (a), .n_metrics = FST_COUNT(a), .metric_size = sizeof((a)[0])
#define FST_OPS(a) .ops = (a), .n_ops = FST_COUNT(a), .op_size = sizeof((a)[0])
#define FST_TOOLS(a) .tools = (a), .n_tools = FST_COUNT(a), .tool_size = sizeof((a)[0])
#define FST_CHOICES(a) .choices = (a), .n_choices = FST_COUNT(a), .choice_size = sizeof((a)[0])

/* ---- the host -------------------------------------------------------------------------------- */

enum fst_asked_flag {
	FST_MUST = 1u << 0, /* another value in force fails the step instead of warning */
};

struct fst_cmd {
	const char *const *argv; /* NULL-terminated; no shell */
	const char *const *env;	 /* extra NAME=VALUE, or NULL */
	const char *cwd;	 /* or NULL */
	uint64_t timeout_ns;	 /* 0: what is left of the step's */
	/* NULL, or as fst_worker.stop: once it is not 0 the program is asked to end (SIGTERM), then made to. */
	const int *stop;
	uint64_t reserved[3];	 /* 0 */
};

struct fst_cmd_result {
	uint32_t struct_size; /* sizeof, set by the caller */
	int exit_status;      /* 0..255, or -1 when ended by a signal or the timeout */
	int signal;
	uint32_t timed_out;
	uint64_t wall_ns;
	const char *out; /* what it printed; the host's, until the callback returns */
	const char *err;
};

/* Use the inline functions below. The table grows at its end. */
struct fst_host {
	uint32_t struct_size;
	uint32_t abi;
	int (*error)(struct fst_ctx *ctx, int err, const char *fmt, va_list ap) FST_PRINTF(3, 0);
	void (*warning)(struct fst_ctx *ctx, const char *fmt, va_list ap) FST_PRINTF(2, 0);
	void (*note)(struct fst_ctx *ctx, const char *key, const char *value);
	bool (*is_set)(const struct fst_ctx *ctx, const char *param);
	const char *(*tool)(struct fst_ctx *ctx, const char *program);
	int (*run_cmd)(struct fst_ctx *ctx, const struct fst_cmd *cmd, struct fst_cmd_result *res);
	int (*save)(struct fst_ctx *ctx, const char *key, const char *value);
	const char *(*saved)(struct fst_ctx *ctx, const char *key);
	int (*saved_each)(struct fst_ctx *ctx,
			  int (*fn)(struct fst_ctx *ctx, const char *key, const char *value, void *arg),
			  void *arg);
	void (*asked)(struct fst_ctx *ctx, const char *key, const char *value, uint32_t flags);
	void (*in_force)(struct fst_ctx *ctx, const char *key, const char *value);
	const char *(*fact)(struct fst_ctx *ctx, const char *key);
	int (*set_dir)(struct fst_ctx *ctx, const char *dir);
	int (*set_device)(struct fst_ctx *ctx, const char *device);
	int (*claim)(struct fst_ctx *ctx, const char *device);
	int (*metric)(struct fst_ctx *ctx, const char *name, double value);
	int (*worker_metric)(struct fst_worker *w, const char *name, double value);
	int (*files)(struct fst_ctx *ctx, uint32_t mode);
	int (*file_add)(struct fst_ctx *ctx, const struct fst_file *file, uint32_t *number);
	uint64_t (*now)(void);
	uint64_t (*op)(struct fst_worker *w, uint32_t op, uint64_t start_ns, uint64_t bytes);
	uint64_t (*random)(struct fst_worker *w);
	uint64_t (*random_block)(struct fst_worker *w, uint64_t n);
	int (*declare)(struct fst_ctx *ctx, const struct fst_metric *metric, uint32_t size);
	int (*keep)(struct fst_ctx *ctx, int64_t pid);
	int (*set_cgroup)(struct fst_ctx *ctx, const char *procs);
	void (*plan)(struct fst_ctx *ctx, const char *file, const char *fmt, va_list ap) FST_PRINTF(3, 0);
};

/* fst_random_block(): every block was taken once, the next call begins anew. */
#define FST_ALL_TAKEN UINT64_MAX

/*
 * Why a callback fails: err is a positive errno, the text names the object ("open /dev/x"), without
 * the errno's own words, which are added. Returns -err. err 0: the text says it all, as when a program
 * refused or parameters do not fit each other; returns -EINVAL. The first text of a step wins.
 */
static inline int FST_PRINTF(3, 4) fst_error(struct fst_ctx *ctx, int err, const char *fmt, ...)
{
	va_list ap;
	int r;

	va_start(ap, fmt);
	r = ctx->host->error(ctx, err, fmt, ap);
	va_end(ap);
	return r;
}

/* A line under "warnings" of the step, and on the screen. */
static inline void FST_PRINTF(2, 3) fst_warning(struct fst_ctx *ctx, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	ctx->host->warning(ctx, fmt, ap);
	va_end(ap);
}

/* A further fact about the step for the result ("command", "feature bits"); copied. */
static inline void fst_note(struct fst_ctx *ctx, const char *key, const char *value)
{
	ctx->host->note(ctx, key, value);
}

/* Did the job give this parameter (or `global`), as against default or absence? False in revert. */
static inline bool fst_is_set(const struct fst_ctx *ctx, const char *param)
{
	return ctx->host->is_set(ctx, param);
}

/* Full path of a program of the plugin's tool table, or NULL when it is not installed. */
static inline const char *fst_find_tool(struct fst_ctx *ctx, const char *program)
{
	return ctx->host->tool(ctx, program);
}

/*
 * Runs a program to its end, logged in commands.log. 0 when it ran, whatever its exit status; negative
 * errno, with the text set, when it could not be started or ran out of time. Also from `run` of a workload that
 * has max_workers 1. What it leaves running is killed when the step ends, unless fst_keep() names it.
 */
static inline int fst_run_cmd(struct fst_ctx *ctx, const struct fst_cmd *cmd, struct fst_cmd_result *res)
{
	return ctx->host->run_cmd(ctx, cmd, res);
}

/*
 * estimate of a setup step: one change that apply will make, a line of `fstrial plan`. file: what the kernel
 * shows the value in, whose text now is printed in front ("/proc/sys/vm/dirty_bytes", or below the directory of
 * the trial's disk, "queue/scheduler"); the text is then the new value alone. NULL: the text says it all ("mounts
 * it with noatime"). That it is put back is said of every plugin with `revert`, unless the estimate says `stays`.
 */
static inline void FST_PRINTF(3, 4) fst_plan(struct fst_ctx *ctx, const char *file, const char *fmt, ...)
{
	va_list ap;

	if (!ctx->host->plan)
		return;
	va_start(ap, fmt);
	ctx->host->plan(ctx, file, fmt, ap);
	va_end(ap);
}

/*
 * apply: keeps a fact for revert; it is on disk when this returns 0, and only then may the change be
 * made. A key may be saved again: revert sees them all, in order. Value has no newline.
 */
static inline int fst_save(struct fst_ctx *ctx, const char *key, const char *value)
{
	return ctx->host->save(ctx, key, value);
}

/* revert and readback: the first fact saved under key, or NULL. */
static inline const char *fst_saved(struct fst_ctx *ctx, const char *key)
{
	return ctx->host->saved(ctx, key);
}

/*
 * revert and readback: every fact, last saved first. All are visited; the first non-zero result of fn is
 * returned.
 */
static inline int fst_saved_each(struct fst_ctx *ctx,
				 int (*fn)(struct fst_ctx *, const char *key, const char *value, void *arg),
				 void *arg)
{
	return ctx->host->saved_each(ctx, fn, arg);
}

/* apply: what the job asked for, in the form that readback will give (same unit, same spelling). */
static inline void fst_asked(struct fst_ctx *ctx, const char *key, const char *value, uint32_t flags)
{
	ctx->host->asked(ctx, key, value, flags);
}

/* readback: what is in force. A key that was asked for and differs becomes a warning or an error. */
static inline void fst_in_force(struct fst_ctx *ctx, const char *key, const char *value)
{
	ctx->host->in_force(ctx, key, value);
}

/*
 * What the host knows: "target.size" (bytes of the first device; in estimate, apply, readback and workloads),
 * "target.2.size" (of the second, and so on), "target.count" (of devices; 0 for a directory), "device.size" (bytes
 * of ctx->device; in estimate not known where a step before may make it), and what it read
 * from the file system itself: "filesystem.type", "filesystem.agcount" ... as in the result's "filesystem"
 * (from apply on). NULL when not known, and in check and revert.
 */
static inline const char *fst_fact(struct fst_ctx *ctx, const char *key)
{
	return ctx->host->fact(ctx, key);
}

/* apply: from here on the trial works in dir (a mount point, say). Without fst_save() of its own. */
static inline int fst_set_dir(struct fst_ctx *ctx, const char *dir)
{
	return ctx->host->set_dir(ctx, dir);
}

/*
 * apply: from here on the trial's device is this one. It must stand on devices of the target alone (a volume, a
 * partition), or be new and empty: a zram that this apply had made, a loop device over a file that was made in
 * the trial's own directory or on a file system of the trial. Any other fails the step.
 */
static inline int fst_set_device(struct fst_ctx *ctx, const char *device)
{
	return ctx->host->set_device(ctx, device);
}

/*
 * check: names a further device whose contents will be lost, for the guard: "target.2" for the second of the
 * target, or a path. A device that is none of the target's, nor made of them by a step before, fails the job.
 */
static inline int fst_claim(struct fst_ctx *ctx, const char *device)
{
	return ctx->host->claim(ctx, device);
}

/*
 * The device that a parameter means: "target.2" is the second of the target, anything else is a path and is
 * given back. NULL: the target has not so many. Not in check, where the names are not known yet.
 */
static inline const char *fst_target_device(const struct fst_ctx *ctx, const char *word)
{
	static const char prefix[] = "target.";
	uint32_t n = 0;
	size_t i;

	for (i = 0; i < sizeof(prefix) - 1; i++)
		if (word[i] != prefix[i])
			return word;
	for (; word[i] >= '0' && word[i] <= '9' && n < 10000; i++)
		n = n * 10 + (uint32_t)(word[i] - '0');
	if (word[i] || n < 1 || n > ctx->n_devices)
		return NULL;
	return ctx->devices[n - 1];
}

/*
 * apply: the workloads of the trial from here on run in this control group: procs is its cgroup.procs. Once
 * for each hierarchy. Without fst_save() of its own.
 */
static inline int fst_set_cgroup(struct fst_ctx *ctx, const char *procs)
{
	if (!ctx->host->set_cgroup)
		return fst_error(ctx, 38 /* ENOSYS */, "this fstrial runs no workloads in control groups");
	return ctx->host->set_cgroup(ctx, procs);
}

/* The value of a declared metric. NaN: no value. An undeclared name is an error. */
static inline int fst_set_metric(struct fst_ctx *ctx, const char *name, double value)
{
	return ctx->host->metric(ctx, name, value);
}

/*
 * check of a workload with FST_DECLARES_METRICS: one metric more than the table has, or another unit,
 * direction and flags for one of the table; copied. From here on it counts as declared, also for `expect`.
 */
static inline int fst_declare_metric(struct fst_ctx *ctx, const struct fst_metric *metric)
{
	return ctx->host->declare(ctx, metric, sizeof(*metric));
}

/*
 * apply: the process, started by this step and leader of a session of its own (setsid()), goes on when the step
 * has ended, and so does what belongs to that session. revert must end it, by facts saved before it began.
 */
static inline int fst_keep(struct fst_ctx *ctx, int64_t pid)
{
	return ctx->host->keep(ctx, pid);
}

/* One worker's share of a declared metric. */
static inline int fst_worker_metric(struct fst_worker *w, const char *name, double value)
{
	return w->ctx->host->worker_metric(w, name, value);
}

/*
 * prepare of a data workload: the files that its parameters describe, nrfiles for each worker, each
 * size / nrfiles long behind the worker's offset. Number of worker j's file f: j * nrfiles + f. Steps of a trial with equal
 * shape share them.
 */
static inline int fst_files(struct fst_ctx *ctx, enum fst_file_mode mode)
{
	return ctx->host->files(ctx, (uint32_t)mode);
}

/* prepare of a data workload: one file more; *number is what fst_io.file takes. */
static inline int fst_file_add(struct fst_ctx *ctx, const struct fst_file *file, uint32_t *number)
{
	return ctx->host->file_add(ctx, file, number);
}

/*
 * A data workload with FST_ON_DEVICE has a parameter of the core's more, `filename`: the block device that the job
 * wants its I/O on, instead of files, as the job names it. NULL: files. Then `size` in ctx->io may be 0 until prepare,
 * for all there is behind the offsets; check gives the name to fst_claim() where the workload writes or trims; and
 * prepare calls fst_files(), not fst_file_add(), for one "file", number 0, that is the device to all workers.
 */
static inline const char *fst_on_device(const struct fst_ctx *ctx)
{
	const struct fst_io_options *io = ctx->io;

	return io && io->struct_size >= offsetof(struct fst_io_options, filename) + sizeof(io->filename)
		       ? io->filename
		       : NULL;
}

/* Monotonic time, ns. */
static inline uint64_t fst_now(const struct fst_ctx *ctx)
{
	return ctx->host->now();
}

/*
 * run: one operation, begun at start_ns and ended now, went well. Errors are returned, not counted. Returns
 * the time of its end, which is the next one's begin where nothing lies between.
 */
static inline uint64_t fst_op(struct fst_worker *w, uint32_t op, uint64_t start_ns, uint64_t bytes)
{
	return w->ctx->host->op(w, op, start_ns, bytes);
}

/* 64 random bits from the worker's own stream; the same seed gives the same sequence. */
static inline uint64_t fst_random(struct fst_worker *w)
{
	return w->ctx->host->random(w);
}

/*
 * next: a block number in [0, n) by the step's random_distribution and, unless norandommap, none that was
 * given before: then FST_ALL_TAKEN after the n-th. n, above 0, stays the same in all calls of one
 * worker.
 */
static inline uint64_t fst_random_block(struct fst_worker *w, uint64_t n)
{
	return w->ctx->host->random_block(w, n);
}

/* Time is up, or somebody asked to stop: run must return soon. */
static inline bool fst_stopping(const struct fst_worker *w)
{
	return __atomic_load_n(w->stop, __ATOMIC_RELAXED) != 0;
}

#ifdef __cplusplus
}
#endif
#endif
