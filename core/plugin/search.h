/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where plugins are looked for: directories, and the files in them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/util/err.h"
#include "core/util/macro.h"

/*
 * The directories to search, as registry_load() describes them: full paths, each once, those
 * that are optional and missing left out. A NULL-terminated array for str_freev().
 */
int search_dirs(const char *const *given, size_t n_given, char ***dirs, size_t *n,
		struct err *e) _must_check_;
/*
 * Files NAME.so in dir and in its folders setup, workload and engine: full paths, sorted, in a
 * NULL-terminated array for str_freev().
 */
int search_files(const char *dir, char ***files, size_t *n, struct err *e) _must_check_;
/*
 * Is this the file that such a plugin would be in, by its name and, in a folder of a kind, by
 * that?
 */
bool search_file_is(const char *file, uint32_t kind, const char *name);
