/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows of bonnie++ 1.0x. */
#pragma once

#include "core/import/bonnie.h"

/* Does it look like one? */
bool bonnie_plain_is(char **v, size_t n);
/* A row, or what is wrong with it. */
void bonnie_plain_add(struct import *im, size_t source, unsigned line, char **v, size_t n,
		      enum import_shape shape);
