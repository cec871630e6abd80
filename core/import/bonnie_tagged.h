/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows of bonnie++ 1.97 and later. */
#pragma once

#include "core/import/bonnie.h"

/* The first field of a row says its format: "1.97". */
bool bonnie_is_tag(const char *s);
/* How many fields a row with this tag has; 0: it is not known. */
size_t bonnie_tagged_fields(const char *tag);
/* A row with a tag. */
void bonnie_tagged_add(struct import *im, size_t source, unsigned line, char **v, size_t n,
		       enum import_shape shape);
