/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A session that goes on where its journal ends: the same job on the same machine with the same kernel and plugins,
 * the same seed and hence the same order; what has a result is not done again.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/job/job.h"
#include "core/util/err.h"
#include "core/util/macro.h"

struct resume {
	json_t *head;	/* the journal's first line */
	json_t *trials; /* "v01 3" (variant, block from 1) -> its trial; interrupted ones are left out */
	off_t end;	/* bytes of the journal that are whole lines */
};

/*
 * Reads DIR/journal.jsonl. -EINVAL where there is nothing to go on with: no journal, a session that is complete,
 * or one of another job, program or kernel, all said in e. To be released in either case.
 */
int resume_read(const char *dir, const struct job *job, struct resume *r, struct err *e) _must_check_;
/* The plugins that the session used against those there are now: the array of the document's "plugins". */
int resume_check_plugins(const struct resume *r, const json_t *plugins, struct err *e) _must_check_;
/* The trial of block (from 0), or NULL: still to be done. Borrowed. */
const json_t *resume_trial(const struct resume *r, const char *variant_id, uint32_t block);
void resume_release(struct resume *r);
