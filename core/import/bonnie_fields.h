/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fields of rows of bonnie++, of all its formats. */
#pragma once

#include "core/import/bonnie.h"

bool bonnie_is_size(const char *s);
bool bonnie_is_files(const char *s);
/* Six pairs of rate and CPU from v on; of the damaged one, -1: none, there is one field only. */
void bonnie_pairs_take(struct bonnie_row *b, char **v, int first, int damaged);
/* The machine's name has commas in it: the first fields of all that are extra too many become one. */
char *bonnie_join_name(char **v, size_t first, size_t extra);
/* So many figures in a row are no part of a name: there is another row in it. */
#define BONNIE_NO_NAME 6
bool bonnie_is_no_name(char **v, size_t first, size_t extra);
void bonnie_refuse_rows(struct import *im, size_t source, unsigned line, size_t n, const char *kind,
			size_t fields);
void bonnie_say_name(struct import *im, size_t source, unsigned line, const char *name, size_t n,
		     const char *kind, size_t fields);
void bonnie_refuse_count(struct import *im, size_t source, unsigned line, size_t n,
			 const char *kind, size_t fields);
