/* SPDX-License-Identifier: GPL-3.0-or-later */
/* database: workers 1 to N. Each is a backend: it reads pages, changes pages, commits. */
#pragma once

#include "database_checkpoint.h"

static inline uint64_t db_client_page(struct db_actor *a)
{
	struct db *db = a->db;
	const uint64_t rank = db_pick_rank(&db->pick, a->w);
	const uint64_t page = db_pick_permute(&db->pick, rank), bit = UINT64_C(1) << (page % 64);
	uint64_t *word = &db->touched[page / 64];

	a->count.hot += rank < db->pick.hot;
	if (!(__atomic_load_n(word, __ATOMIC_RELAXED) & bit))
		__atomic_fetch_or(word, bit, __ATOMIC_RELAXED);
	return page;
}

static inline int db_client_read(struct db_actor *a)
{
	uint32_t f;
	int r = db_pool_get(a, db_client_page(a), &f);

	if (r == 0)
		db_pool_put(a, f);
	return r;
}

/* Changes a few hundred bytes of a page, and says so in the WAL. */
static inline int db_client_update(struct db_actor *a, uint64_t number)
{
	const struct db_cfg *cfg = &a->db->cfg;
	const uint64_t random = fst_random(a->w);
	const uint64_t n = cfg->record_min +
			   db_below(random, cfg->record_max - cfg->record_min + 1);
	const uint64_t room = cfg->page_size - sizeof(struct db_page);
	struct db_insert in = { .head = { .type = DB_RECORD_UPDATE, .page = number },
				.n_body = (uint32_t)n };
	struct db_page *page;
	uint64_t lsn, changed = n < room ? n : room;
	uint32_t f;
	int r = db_pool_get(a, number, &f);

	if (r < 0)
		return r;
	db_pool_dirty(a, f);
	page = (struct db_page *)(a->db->pool.mem + f * cfg->page_size);
	in.body = a->db->noise + fst_random(a->w) % (DB_NOISE - n);
	in.image = page;
	in.image_lsn = page->lsn;
	page->changes++;
	memcpy((char *)(page + 1) + random % (room - changed + 1), in.body, changed);
	r = db_wal_insert(a, &in, &lsn);
	if (r == 0) {
		page->lsn = lsn;
		a->db->shadow[number] = lsn;
		a->count.logical += n;
	}
	db_pool_put(a, f);
	return r;
}

static inline int db_client_commit(struct db_actor *a)
{
	const uint64_t begun = db_now(a);
	const struct db_insert commit = { .head = { .type = DB_RECORD_COMMIT, .page = a->sequence },
					  .body = a->db->noise,
					  .n_body = DB_COMMIT_BODY };
	struct db_insert in = commit;
	uint64_t lsn;
	int r = db_wal_insert(a, &in, &lsn);

	if (r == 0 && a->db->cfg.durability == DB_EACH_COMMIT)
		r = db_wal_flush(a, lsn, true);
	if (r < 0)
		return r;
	db_op(a, DB_COMMIT, begun, 0);
	a->count.commits++;
	a->sequence++;
	return 0;
}

/* 0, 1 when the step ends, or -errno. */
static inline int db_client_transaction(struct db_actor *a)
{
	const struct db_cfg *cfg = &a->db->cfg;
	const bool writes = cfg->updates && db_unit(fst_random(a->w)) * 100 >= cfg->read_pct;
	int r = 0;

	if (writes && !db_wal_wait_for_space(a))
		return 1;
	for (uint64_t i = 0; i < cfg->reads && r == 0; i++)
		r = db_client_read(a);
	for (uint64_t i = 0; i < cfg->updates && r == 0 && writes; i++)
		r = db_client_update(a, db_client_page(a));
	return r == 0 && writes ? db_client_commit(a) : r;
}

/* Into the second in which it ended. */
static inline void db_client_count(struct db_actor *a, uint64_t now)
{
	struct db *db = a->db;
	uint64_t s = (now - __atomic_load_n(&db->from_ns, __ATOMIC_RELAXED)) / DB_SECOND;

	a->count.transactions++;
	a->end_ns = now;
	if (!a->counting || s >= DB_MAX_SECONDS)
		return;
	__atomic_fetch_add(&db->second[s], 1, __ATOMIC_RELAXED);
	if (__atomic_load_n(&db->ckpt.running, __ATOMIC_RELAXED))
		__atomic_store_n(&db->checkpointing[s], 1, __ATOMIC_RELAXED);
}

/* With a rate: waits for the time at which this one should begin. False: the step ends. */
static inline bool db_client_wait(const struct db_actor *a, uint64_t when)
{
	while (!db_stopping(a)) {
		uint64_t now = db_now(a), left = when > now ? when - now : 0;
		struct timespec nap = { 0, (long)(left < DB_NAP ? left : DB_NAP) };

		if (!left)
			return true;
		nanosleep(&nap, NULL);
	}
	return false;
}

static inline int db_client_loop(struct db_actor *a)
{
	const struct db_cfg *cfg = &a->db->cfg;
	const uint64_t every = cfg->transaction_rate
				       ? DB_SECOND * (a->db->n_actors - 2) / cfg->transaction_rate
				       : 0;
	uint64_t start = db_now(a), due = start;
	int r = 0;

	for (uint64_t i = 0; !cfg->transactions || i < cfg->transactions; i++) {
		if (every && !db_client_wait(a, due)) {
			/* The wait for the next one was part of the rate. */
			a->end_ns = db_now(a);
			return 0;
		}
		if (db_stopping(a))
			return 0;
		/* Response time from when it was due: waiting in line counts. */
		start = every ? due : start;
		due += every;
		db_count_begin(a, start);
		r = db_client_transaction(a);
		if (r)
			return r < 0 ? r : 0;
		start = fst_op(a->w, DB_TRANSACTION, start, 0);
		db_client_count(a, start);
	}
	return 0;
}

static inline int db_client_run(struct db_actor *a)
{
	int r = db_client_loop(a);

	__atomic_sub_fetch(&a->db->clients_left, 1, __ATOMIC_ACQ_REL);
	return r;
}
