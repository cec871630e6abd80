/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A session, as the files that carry it out share it. */
#pragma once

#include "core/record/result.h"
#include "core/run/progress.h"
#include "core/run/resume.h"
#include "core/run/session.h"
#include "core/run/target.h"
#include "core/run/trial.h"
#include "core/run/undo.h"

struct session {
	const struct job *job;
	struct registry *reg;
	const struct session_options *opt;
	char *id, *out;
	uint64_t seed;
	struct undo undo;
	struct target target;
	struct journal journal;
	struct trial_env env;
	struct trial once;
	struct progress progress;
	uint64_t done, failed, unmet; /* trials; unmet: ended well, not as expected */
	const char *status; /* "complete" "interrupted" "stopped" */
	char *stop_reason;
	struct resume *resume; /* what was done before, or NULL */
	bool made_out; /* the results directory was not there before */
	bool begun; /* the journal has its first line: there will be a result */
	bool dirty; /* something could not be put back */
	bool unwritten; /* the result */
	uint32_t *order;
	json_t *canaries; /* of the block that runs, or NULL */
	json_t *until;	  /* which variant stopped when and why, or NULL */
};

/* Ends the session; the first call counts. status is static. */
void session_stop(struct session *s, const char *status, const char *why);
/* Blocks there are at most. */
uint32_t session_repeats(const struct session *s);
/* session_blocks.c: all blocks, as far as the session goes on. */
void session_blocks(struct session *s);

/* session_record.c: lines of the journal, each on disk when it returns 0; the last makes result.json. */
int session_write_head(struct session *s, struct err *e) _must_check_;
int session_write_resumed(struct session *s, struct err *e) _must_check_;
int session_write_trial(struct session *s, const struct trial *t, uint32_t position, uint64_t started_wall,
			uint64_t started, struct err *e) _must_check_;
int session_write_end(struct session *s, struct err *e) _must_check_;
