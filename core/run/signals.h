/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SIGINT, SIGTERM and SIGHUP, read from a descriptor instead of being handled: the first asks the step to end
 * and the session to undo and write; a second only asks to be sure; a third ends the step at once.
 */
#pragma once

#include "core/util/err.h"

enum signals_wish { SIGNALS_NONE, SIGNALS_STOP, SIGNALS_KILL };

/* Blocks the signals in this process. Returns the descriptor to poll, or -errno. */
int signals_begin(struct err *e);
/* Reads what has arrived; prints what it will do. The strongest wish so far. */
enum signals_wish signals_read(int fd);
/* "SIGINT" of the first one; NULL when there was none. */
const char *signals_name(void);
/* In a child: gives the signals their usual effect back. */
void signals_child(void);
