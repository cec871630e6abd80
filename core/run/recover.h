/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Puts back what killed sessions left, from their undo journals alone. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "core/plugin/registry.h"
#include "core/util/err.h"

/* Number of undo journals that no living session holds; their paths are printed to out unless NULL. */
int recover_pending(FILE *out);
/* Number of those that are in use: by a session, or a process of one that is about to end. */
int recover_running(void);
/* Undoes them all and says to out what was put back and what could not be, with the command to type. 0 or -errno. */
int recover_all(struct registry *reg, FILE *out, struct err *e) _must_check_;
