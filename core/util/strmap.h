/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Texts with a number each: a hash table. A key is copied once and stays where it is until the table is freed, so
 * that equal texts of one table are the same pointer.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct strmap_entry {
	char *key; /* NUL-terminated */
	size_t len;
	uint64_t hash;
	uintptr_t value;
};

/* Zeroed is empty. */
struct strmap {
	struct strmap_entry **slots;
	size_t cap; /* a power of two, or 0 */
	size_t n;
};

/* NULL when it is not there. */
struct strmap_entry *strmap_find(const struct strmap *m, const void *key, size_t len);
/* The entry of key, made with value 0 where it is new (*fresh, may be NULL). Stays until strmap_free(). */
struct strmap_entry *strmap_add(struct strmap *m, const void *key, size_t len, bool *fresh);
/* The table's copy of a text. */
const char *strmap_text(struct strmap *m, const char *s);
void strmap_free(struct strmap *m);
