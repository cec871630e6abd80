/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The words of a job's text, as libconfig 1.5 sees them: for checks and messages it has not. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/util/diag.h"
#include "core/util/macro.h"

enum token_type {
	TOKEN_END,
	TOKEN_NAME,	    /* job, mq-deadline, true */
	TOKEN_NUMBER,	    /* begins like one: 12, 0x1fL, 1e5, 4k */
	TOKEN_TEXT,	    /* "..." with its quotes */
	TOKEN_MARK,	    /* one character of = : ; , ( ) [ ] { } or one that has no place here */
	TOKEN_OPEN_TEXT,    /* a " without its end */
	TOKEN_OPEN_COMMENT, /* a slash-star without its end */
};

struct token {
	enum token_type type;
	const char *s;
	size_t len;
	unsigned line, last_line; /* where it begins and ends */
};

struct scan {
	const char *p, *end;
	unsigned line;
};

/* The next word, over white space and comments; false at the end of the text. */
bool scan_next(struct scan *s, struct token *t);
bool token_is(const struct token *t, char mark);
/* Is it a number that libconfig would not keep whole? Then it is in d. */
bool token_check_number(const struct token *t, const char *file, struct diag *d);
/* Does all of the token belong to a number ("4k" does not)? */
bool token_is_number(const struct token *t);
