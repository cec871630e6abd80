/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The data files of a step: which there are, made and filled before the clock runs, opened for each
 * worker. Nothing here follows a symbolic link, and only regular files are touched, or the one device.
 */
#pragma once

#include <fstrial/plugin.h>

#include "core/io/live.h"
#include "core/io/options.h"
#include "core/util/err.h"
#include "core/util/macro.h"
#include "core/util/vec.h"

struct io_file {
	char *name; /* relative to the directory */
	uint64_t size;
	uint64_t fill_from; /* where filling begins; size: it is whole */
	uint32_t mode;	    /* enum fst_file_mode */
	uint32_t worker;    /* or FST_EVERY_WORKER */
};

struct io_device;

struct io_files {
	const char *dir; /* borrowed */
	int dirfd;
	const struct io_device *device; /* instead of files (core/io/device.h), or NULL */
	int hold_fd;			/* of device: keeps others away, or -1 */
	bool direct;
	int sync;		   /* enum fst_sync */
	const struct io_params *p; /* borrowed */
	uint64_t laid_out;	   /* bytes that files_lay_out() wrote */
	VEC(struct io_file) file;
};

/* dir is opened, unless it is NULL: then files have names and numbers only. -errno with e set. */
int files_init(struct io_files *f, const char *dir, const struct io_params *p,
	       struct err *e) _must_check_;
void files_release(struct io_files *f);

/* fst_files(): "data.J.F", nrfiles for each worker. */
int files_add_set(struct io_files *f, const struct io_params *p, uint32_t nworkers, uint32_t mode,
		  struct err *e) _must_check_;
/* fst_file_add(). */
int files_add(struct io_files *f, const struct fst_file *file, uint32_t nworkers, uint32_t *number,
	      struct err *e) _must_check_;

struct verify;

/* What filling needs and reports to. */
struct layout {
	struct live *live; /* bytes in its first worker's line; stop is obeyed */
	uint64_t seed;
	struct verify *verify; /* whose headers go into what is filled; NULL: none */
	uint64_t
		to_write; /* bytes that the step itself will write into new files; 0: not bounded */
	void (*warn)(void *arg, const char *text); /* about what will go wrong later */
	void *arg;
};

/* Makes each file what its mode says: new and empty, or whole. -ECANCELED when stopped. */
int files_lay_out(struct io_files *f, struct layout *l, struct err *e) _must_check_;
/*
 * Opens worker's files. *out has *n entries by file number, up to its last one; to be closed by
 * files_close(), also after an error.
 */
int files_open(const struct io_files *f, uint32_t worker, struct fst_engine_file **out, uint32_t *n,
	       struct err *e) _must_check_;
void files_close(struct fst_engine_file **v, uint32_t *n);
/*
 * After the run: has nobody deleted one of these files, or cut it short? Neither fails any I/O of an open
 * file but a read. 0, or -errno with e set.
 */
int files_still_there(const struct io_files *f, const struct fst_engine_file *v, uint32_t n,
		      struct err *e) _must_check_;
/* Raises the process's limit of open files to what nworkers need. */
int files_raise_limit(const struct io_files *f, uint32_t nworkers, struct err *e) _must_check_;
/*
 * A file for other uses; flags as open(2), O_NOFOLLOW and O_CLOEXEC are added. Descriptor or
 * -errno, e set.
 */
int files_open_one(const struct io_files *f, const char *name, int flags, struct err *e);
/*
 * Directory that holds name, missing ones made, and the last part of the name. Descriptor or
 * -errno, e set.
 */
int files_parent(const struct io_files *f, const char *name, const char **base, struct err *e);
uint64_t files_total(const struct io_files *f);
