/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files and directories. Functions return 0 or -errno and, where they take one, fill struct err. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "core/util/err.h"
#include "core/util/macro.h"

/*
 * Reads a whole file of at most max bytes (-EFBIG beyond, nothing returned). *data is
 * NUL-terminated and the caller's to free; *len (may be NULL) is without the NUL. Works on
 * proc and sysfs files, whose size is not known beforehand.
 */
int file_read(const char *path, size_t max, char **data, size_t *len, struct err *e) _must_check_;
/* First line of a small file (sysfs, proc) without white space at its ends, into buf. */
int file_read_line(const char *path, char *buf, size_t size) _must_check_;
/* One open and one write(2) of the text, no create: for sysfs and proc. */
int file_write_value(const char *path, const char *text) _must_check_;
/* Writes to a temporary name beside path, fsyncs, renames, fsyncs the directory. */
int file_write_atomic(const char *path, const void *data, size_t len, struct err *e) _must_check_;
/* Writes all of data to fd, resuming after short writes and EINTR. */
int file_write_all(int fd, const void *data, size_t len) _must_check_;
/*
 * Appends data to a file opened with O_APPEND, on disk when this returns 0; otherwise the file is as
 * before, not with half of the data at its end.
 */
int file_append_synced(int fd, const void *data, size_t len) _must_check_;
/* Reads until len bytes or end of file; *got is what was read. */
int file_read_all(int fd, void *data, size_t len, size_t *got) _must_check_;
bool file_exists(const char *path);

/* Makes the directory and what is missing above it. An existing directory is no error. */
int dir_make(const char *path, mode_t mode, struct err *e) _must_check_;
/* fsync of a directory, so that names in it survive a power cut. */
int dir_sync(const char *path);
/*
 * Removes the directory and everything below, never following a symbolic link and never crossing
 * into another file system (-EXDEV). A missing path is no error.
 */
int dir_remove_tree(const char *path, struct err *e) _must_check_;
/* Calls fn for each name in sorted order except "." and ".."; stops at its first non-zero result. */
int dir_each(const char *path, int (*fn)(const char *name, void *arg), void *arg) _must_check_;
