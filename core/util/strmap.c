/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A hash table of texts, with linear probing. */
#include "core/util/strmap.h"

#include <stdlib.h>
#include <string.h>

#include "core/util/xalloc.h"

enum { STRMAP_FIRST = 16 };

/* FNV-1a over words of eight bytes, mixed at the end: keys are mostly hundreds of bytes long. */
static uint64_t strmap_hash(const unsigned char *p, size_t len)
{
	const uint64_t prime = 0x100000001b3u;
	uint64_t h = 0xcbf29ce484222325u ^ len, w;

	for (; len >= sizeof(w); p += sizeof(w), len -= sizeof(w)) {
		memcpy(&w, p, sizeof(w));
		h = (h ^ w) * prime;
		h ^= h >> 29;
	}
	for (; len; p++, len--)
		h = (h ^ *p) * prime;
	h ^= h >> 32;
	h *= 0x9e3779b97f4a7c15u;
	return h ^ h >> 32;
}

static size_t strmap_slot(const struct strmap *m, uint64_t hash, const void *key, size_t len)
{
	size_t i = hash & (m->cap - 1);

	while (m->slots[i]) {
		const struct strmap_entry *e = m->slots[i];

		if (e->hash == hash && e->len == len && memcmp(e->key, key, len) == 0)
			break;
		i = (i + 1) & (m->cap - 1);
	}
	return i;
}

static void strmap_grow(struct strmap *m)
{
	struct strmap old = *m;

	m->cap = old.cap ? old.cap * 2 : STRMAP_FIRST;
	m->slots = xcalloc(m->cap, sizeof(*m->slots));
	for (size_t i = 0; i < old.cap; i++) {
		struct strmap_entry *e = old.slots[i];

		if (e)
			m->slots[strmap_slot(m, e->hash, e->key, e->len)] = e;
	}
	free(old.slots);
}

struct strmap_entry *strmap_find(const struct strmap *m, const void *key, size_t len)
{
	return m->cap ? m->slots[strmap_slot(m, strmap_hash(key, len), key, len)] : NULL;
}

struct strmap_entry *strmap_add(struct strmap *m, const void *key, size_t len, bool *fresh)
{
	const uint64_t hash = strmap_hash(key, len);
	size_t i;

	if (m->n * 2 >= m->cap)
		strmap_grow(m);
	i = strmap_slot(m, hash, key, len);
	if (fresh)
		*fresh = !m->slots[i];
	if (!m->slots[i]) {
		/* One allocation holds both. */
		struct strmap_entry *e = xmalloc(sizeof(*e) + len + 1);

		*e = (struct strmap_entry){ .key = (char *)(e + 1), .len = len, .hash = hash };
		memcpy(e->key, key, len);
		e->key[len] = '\0';
		m->slots[i] = e;
		m->n++;
	}
	return m->slots[i];
}

const char *strmap_text(struct strmap *m, const char *s)
{
	return strmap_add(m, s, strlen(s), NULL)->key;
}

void strmap_free(struct strmap *m)
{
	for (size_t i = 0; i < m->cap; i++)
		free(m->slots[i]);
	free(m->slots);
	*m = (struct strmap){ 0 };
}
