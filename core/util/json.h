/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * jansson without its traps: NaN and infinity become null, text that is not UTF-8 gets U+FFFD, and
 * a failed insertion aborts instead of losing a value.
 */
#pragma once

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "core/util/err.h"
#include "core/util/macro.h"

json_t *js_object(void);
json_t *js_array(void);
json_t *js_str(const char *s);	      /* NULL -> null */
json_t *js_strn(const char *s, size_t n);
json_t *js_real(double v);	      /* NaN, infinite -> null */
json_t *js_u64(uint64_t v);	      /* beyond INT64_MAX: a real */
json_t *js_bool(int v);
/* Steals value; value must not be NULL. Returns object, for chaining. */
json_t *js_set(json_t *object, const char *key, json_t *value);
json_t *js_push(json_t *array, json_t *value);
/* Formatted text as value. */
json_t *js_setf(json_t *object, const char *key, const char *fmt, ...) _printf_(3, 4);

/* Typed reads with a default for absent, null or another type. Strings are owned by the object. */
const char *js_get_str(const json_t *object, const char *key, const char *absent);
uint64_t js_get_u64(const json_t *object, const char *key, uint64_t absent);
double js_get_real(const json_t *object, const char *key, double absent);

/*
 * One line, no newline; caller frees. Reals with 17 significant digits, shortest where possible; what a terminal would
 * obey is escaped.
 */
char *js_dump(const json_t *v);
/* Prints an object: one line a member, and one an element where a member is an array. */
void js_print(const json_t *object, FILE *out);
/* Parses one document; duplicate keys and trailing text are errors. NULL on failure. */
json_t *js_parse(const char *text, size_t len, const char *name, struct err *e);
/* The same of a part of a file that begins with this line. */
json_t *js_parse_from(const char *text, size_t len, const char *name, unsigned line, struct err *e);

static inline void js_decrefp(json_t **p)
{
	json_decref(*p);
}
#define _cleanup_json_ _cleanup_(js_decrefp)
