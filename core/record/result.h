/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The results directory: journal.jsonl grows by one fsync'd line a trial, result.json is made out of it
 * at the end. First line {"type": "session", session, job, environment, plugins, variants}, then
 * {"type": "trial", "trial": {...}} each, last {"type": "end", "ended", "status", "environment_warnings"}.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "core/util/err.h"
#include "core/util/macro.h"

#define RESULT_FORMAT "fstrial-result/1"

struct journal {
	int fd;
	char *path;
};

int journal_open(const char *dir, struct journal *j, struct err *e) _must_check_;
/* Appends {"type": type, ...members} and fsyncs. Takes nothing. */
int journal_append(struct journal *j, const char *type, const json_t *members, struct err *e) _must_check_;
/* Opens the journal of DIR to go on with: what stands behind its first `whole` bytes, a line that was cut off, goes. */
int journal_reopen(const char *dir, off_t whole, struct journal *j, struct err *e) _must_check_;
void journal_close(struct journal *j);

/*
 * Writes the result document made from DIR/journal.jsonl to DIR/result.json, atomically. Trials are copied one by
 * one, so memory does not grow with their number. A journal that was cut off gives status "partial".
 */
int result_write(const char *dir, struct err *e) _must_check_;
/* The same document to a stream. */
int result_print(const char *dir, FILE *out, struct err *e) _must_check_;
/* path is a document (NAME.json), or a results directory with result.json or a journal. */
bool result_is_at(const char *path);
/* The document's text at such a path; caller frees. It is not looked at. */
int result_text(const char *path, char **text, size_t *len, struct err *e) _must_check_;
/* path: result.json, or a results directory (result.json, else what the journal has). New reference. */
int result_load(const char *path, json_t **doc, struct err *e) _must_check_;
