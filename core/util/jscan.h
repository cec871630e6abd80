/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * JSON read where it lies: a cursor over a text that steps into what is wanted and over what is not, without
 * building anything. All of it is checked as it is passed. Nesting is limited; a key that appears twice is not
 * noticed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/util/err.h"
#include "core/util/macro.h"

/* A piece of the text. Of a string's value with its quotes, as it is written. */
struct jspan {
	const char *s;
	size_t len;
};

struct jscan {
	const char *start, *at, *end;
	const char *name; /* for messages */
	struct err *e;
	bool first;  /* a container was just begun: no comma is due */
	bool failed; /* everything answers "no" from then on */
};

void jscan_init(struct jscan *j, const char *text, size_t len, const char *name, struct err *e);
/*
 * Steps into an object: `for (bool in = jscan_object(&j); in && jscan_key(&j, &key);)`, and in the loop the value must
 * be consumed. An element that is no object is passed over, with false.
 */
bool jscan_object(struct jscan *j);
/* The next key, without quotes; false behind the last one. */
bool jscan_key(struct jscan *j, struct jspan *key);
/* The same for an array; the elements are consumed by the caller. */
bool jscan_array(struct jscan *j);
bool jscan_element(struct jscan *j);
/* Passes over one value; value (may be NULL) is what it was. */
void jscan_value(struct jscan *j, struct jspan *value);
/* A number, or NaN for whatever else is there. */
double jscan_number(struct jscan *j);
/* Nothing but white space is left. 0, or -EINVAL and e. */
int jscan_end(struct jscan *j) _must_check_;

bool jspan_is(struct jspan s, const char *text);
/* s is a string value of just this text; text must need no escapes. */
bool jspan_is_string(struct jspan s, const char *text);
