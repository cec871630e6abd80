/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * database: the cache of pages in memory, with the clock hand of PostgreSQL's shared buffers. Only
 * what is not in it is read; a victim that was changed is written first, by who needs its frame.
 */
#pragma once

#include <sys/mman.h>

#include "database_flush.h"

#define DB_USAGE 5u /* rounds of the hand that an often used page survives */

/*
 * A frame that can be taken, pool->lock held: 0. 1: a changed page was written meanwhile, and the
 * lock was let go. Or -errno.
 */
static inline int db_pool_victim(struct db_actor *a, uint32_t *f)
{
	struct db_pool *pool = &a->db->pool;
	int r;

	for (uint64_t i = 0; i < (uint64_t)pool->n * (DB_USAGE + 2); i++) {
		struct db_frame *fr = &pool->frame[pool->hand];

		*f = pool->hand;
		if (fr->pins || fr->usage) {
			fr->usage -= !fr->pins;
			pool->hand = (pool->hand + 1) % pool->n;
			continue;
		}
		if (!fr->dirty) {
			pool->hand = (pool->hand + 1) % pool->n;
			return 0;
		}
		fr->pins++;
		pthread_mutex_unlock(&pool->lock);
		r = db_flush_add(a, *f) ? db_flush_batch(a) : 0;
		pthread_mutex_lock(&pool->lock);
		return r < 0 ? r : 1;
	}
	return fst_error(a->db->ctx, 0, "all %u pages of the cache are in use at once", pool->n);
}

/* Pins the frame of a page that is in memory. */
static inline bool db_pool_find(struct db_pool *pool, uint64_t page, uint32_t *f)
{
	struct db_frame *fr;

	if (!pool->map[page])
		return false;
	*f = pool->map[page] - 1;
	fr = &pool->frame[*f];
	fr->pins++;
	fr->usage += fr->usage < DB_USAGE;
	return true;
}

/* The page's frame is this one from now on; its content is locked, since nobody else has it. */
static inline bool db_pool_take(struct db_pool *pool, uint64_t page, uint32_t f)
{
	struct db_frame *fr = &pool->frame[f];

	if (pthread_mutex_trylock(&fr->content))
		return false;
	if (fr->mapped)
		pool->map[fr->page] = 0;
	pool->map[page] = f + 1;
	fr->page = page;
	fr->mapped = true;
	fr->valid = false;
	fr->pins = 1;
	fr->usage = 1;
	return true;
}

static inline int db_pool_read(struct db_actor *a, uint32_t f)
{
	struct db_pool *pool = &a->db->pool;
	struct db_frame *fr = &pool->frame[f];
	char *page = pool->mem + f * a->db->cfg.page_size;
	uint64_t begun = db_now(a);
	int r = db_page_read(a->db, fr->page, page);

	if (r < 0)
		return r;
	db_op(a, DB_PAGE_READ, begun, a->db->cfg.page_size);
	r = db_page_check(a->db, page, fr->page);
	fr->valid = r == 0;
	return r;
}

static inline void db_pool_put(struct db_actor *a, uint32_t f)
{
	struct db_pool *pool = &a->db->pool;

	pthread_mutex_unlock(&pool->frame[f].content);
	pthread_mutex_lock(&pool->lock);
	pool->frame[f].pins--;
	pthread_mutex_unlock(&pool->lock);
}

/* The page in memory, pinned and its content locked, until db_pool_put(). */
static inline int db_pool_get(struct db_actor *a, uint64_t page, uint32_t *f)
{
	struct db_pool *pool = &a->db->pool;
	bool found;
	int r = 0;

	*f = 0;
	a->count.accesses++;
	pthread_mutex_lock(&pool->lock);
	while (!(found = db_pool_find(pool, page, f))) {
		r = db_pool_victim(a, f);
		if (r < 0 || (r == 0 && db_pool_take(pool, page, *f)))
			break;
	}
	pthread_mutex_unlock(&pool->lock);
	if (r < 0)
		return r;
	if (found) {
		pthread_mutex_lock(&pool->frame[*f].content);
		a->count.hits++;
		r = pool->frame[*f].valid ? 0 : -EIO; /* whoever tried to read it said why */
	} else {
		r = db_pool_read(a, *f);
	}
	if (r < 0)
		db_pool_put(a, *f);
	return r;
}

/* Before its content changes: a checkpoint that begins from now on must see it. */
static inline void db_pool_dirty(struct db_actor *a, uint32_t f)
{
	struct db_pool *pool = &a->db->pool;

	pthread_mutex_lock(&pool->lock);
	pool->frame[f].dirty = true;
	pool->frame[f].again = true;
	pthread_mutex_unlock(&pool->lock);
}

/* All is zero but these. */
static inline int db_pool_prepare(struct db *db)
{
	struct db_pool *pool = &db->pool;
	/* What can be pinned at one time, and room for the hand to go round. */
	const uint64_t least = 2 * DB_BATCH + 4ull * db->n_actors;
	double wanted = db->cfg.cache * (double)db->pages;

	pool->n = (uint32_t)(wanted > (double)least ? wanted : (double)least);
	pool->frame = calloc(pool->n, sizeof(*pool->frame));
	pool->map = calloc(db->pages, sizeof(*pool->map));
	pool->mem = mmap(NULL, pool->n * db->cfg.page_size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	db->ckpt.order = calloc(pool->n, sizeof(*db->ckpt.order));
	if (pool->mem == MAP_FAILED)
		pool->mem = NULL;
	if (!pool->frame || !pool->map || !pool->mem || !db->ckpt.order)
		return fst_error(db->ctx, ENOMEM, "cache of %u pages, table of %llu", pool->n,
				 (unsigned long long)db->pages);
	for (uint32_t i = 0; i < pool->n; i++)
		pthread_mutex_init(&pool->frame[i].content, NULL);
	/* Faults of first touch are not part of what is measured. */
	for (uint64_t at = 0; at < pool->n * db->cfg.page_size; at += DB_ALIGN)
		((volatile char *)pool->mem)[at] = 0;
	return 0;
}

static inline void db_pool_free(struct db *db)
{
	struct db_pool *pool = &db->pool;

	for (uint32_t i = 0; pool->frame && i < pool->n; i++)
		pthread_mutex_destroy(&pool->frame[i].content);
	free(pool->frame);
	free(pool->map);
	if (pool->mem)
		munmap(pool->mem, pool->n * db->cfg.page_size);
	free(db->ckpt.order);
	pthread_mutex_destroy(&pool->lock);
	pthread_cond_destroy(&pool->written);
}
