/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Workload database: pages, WAL and checkpoints as PostgreSQL and InnoDB move them. */
/* fstrial-libs: -lm */
#include "database_client.h"
#include "database_layout.h"
#include "database_metrics.h"
#include "database_params.h"
#include "database_result.h"
#include "database_verify.h"

/* What the job left open, by the model. */
static struct db_cfg database_resolve(const struct fst_ctx *ctx)
{
	struct db_cfg cfg = *(const struct db_cfg *)ctx->cfg;
	const bool innodb = cfg.model == DB_INNODB;
	uint64_t half;

	if (!cfg.page_size)
		cfg.page_size = innodb ? 16384 : 8192;
	if (!cfg.wal_recycle)
		cfg.wal_recycle = innodb ? DB_RECYCLE_OVERWRITE : DB_RECYCLE_RENAME;
	cfg.full_page_images = cfg.full_page_images && !innodb;
	cfg.doublewrite = cfg.doublewrite && innodb;
	if (cfg.wal_recycle != DB_RECYCLE_OVERWRITE)
		return cfg;
	half = cfg.wal_segment * cfg.wal_segments / 2;
	if (!cfg.checkpoint_wal || cfg.checkpoint_wal > half)
		cfg.checkpoint_wal = half;
	return cfg;
}

static int database_check_wal(struct fst_ctx *ctx, const struct db_cfg *cfg)
{
	const uint64_t one = db_wal_transaction(cfg), all = one * (ctx->nworkers - 1);
	const uint64_t log = cfg->wal_segment * cfg->wal_segments;

	if (cfg->record_min > cfg->record_max)
		return fst_error(ctx, 0, "record_min is larger than record_max");
	if (cfg->wal_segment % 8192 || cfg->wal_buffers % 8192)
		return fst_error(ctx, 0,
				 "wal_segment and wal_buffers must be multiples of 8KiB");
	if (cfg->wal_recycle == DB_RECYCLE_OVERWRITE && all > log / 4)
		return fst_error(
			ctx, 0,
			"transactions of %u clients may take %llu bytes of WAL at once, more "
			"than a quarter of wal_segment * wal_segments = %llu",
			ctx->nworkers - 1, (unsigned long long)all, (unsigned long long)log);
	return 0;
}

static int database_check(struct fst_ctx *ctx)
{
	const struct db_cfg cfg = database_resolve(ctx);
	const uint64_t pages = cfg.table_size / cfg.page_size;

	if (ctx->nworkers < 2)
		return fst_error(
			ctx, 0,
			"numjobs = %u: worker 0 makes checkpoints, so that there must be at "
			"least one more as a client",
			ctx->nworkers);
	if (cfg.page_size & (cfg.page_size - 1))
		return fst_error(ctx, 0, "page_size = %llu is not a power of two",
				 (unsigned long long)cfg.page_size);
	if (cfg.file_size % cfg.page_size)
		return fst_error(ctx, 0, "file_size is not a multiple of page_size");
	if (pages < 64 || pages >= UINT32_MAX)
		return fst_error(ctx, 0, "table_size / page_size = %llu pages: too %s",
				 (unsigned long long)pages, pages < 64 ? "few" : "many");
	if (!cfg.reads && !cfg.updates)
		return fst_error(ctx, 0, "reads and updates are both 0: nothing to do");
	if (!cfg.transactions && !fst_is_set(ctx, "runtime"))
		return fst_error(ctx, 0,
				 "give a runtime, or the transactions that each client does");
	return database_check_wal(ctx, &cfg);
}

static int database_estimate(struct fst_ctx *ctx, struct fst_estimate *est)
{
	const struct db_cfg cfg = database_resolve(ctx);

	/* How much the run itself moves nobody knows before. */
	est->bytes_written = cfg.table_size + cfg.wal_segment * cfg.wal_segments;
	est->files = (cfg.table_size + cfg.file_size - 1) / cfg.file_size + cfg.wal_segments;
	return 0;
}

static int database_make_actors(struct db *db)
{
	db->actor = aligned_alloc(64, db->n_actors * sizeof(*db->actor));
	if (!db->actor)
		return fst_error(db->ctx, ENOMEM, "%u workers", db->n_actors);
	memset(db->actor, 0, db->n_actors * sizeof(*db->actor));
	for (uint32_t i = 0; i < db->n_actors; i++) {
		struct db_actor *a = &db->actor[i];

		a->db = db;
		a->batch_max = i == 0 && db->cfg.doublewrite ? DB_BATCH : 1;
		a->batch = aligned_alloc(DB_ALIGN,
					 db_ceil(a->batch_max * db->cfg.page_size, DB_ALIGN));
		if (!a->batch)
			return fst_error(db->ctx, ENOMEM, "buffer of worker %u", i);
	}
	return 0;
}

static int database_make_tables(struct db *db)
{
	const uint64_t seconds = DB_MAX_SECONDS;

	db->file = calloc(db->n_files, sizeof(*db->file));
	db->shadow = calloc(db->pages, sizeof(*db->shadow));
	db->touched = calloc((db->pages + 63) / 64, sizeof(*db->touched));
	db->noise = malloc(DB_NOISE);
	db->second = calloc(seconds, sizeof(*db->second));
	db->checkpointing = calloc(seconds, sizeof(*db->checkpointing));
	if (!db->file || !db->shadow || !db->touched || !db->noise || !db->second ||
	    !db->checkpointing)
		return fst_error(db->ctx, ENOMEM, "table of %llu pages",
				 (unsigned long long)db->pages);
	for (uint32_t i = 0; i < db->n_files; i++)
		db->file[i].fd = -1;
	for (uint32_t i = 0; i < DB_NOISE; i += 8) {
		uint64_t word = db_mix(db->ctx->seed + i);

		memcpy(db->noise + i, &word, sizeof(word));
	}
	return 0;
}

static void database_init(struct db *db, struct fst_ctx *ctx)
{
	db->ctx = ctx;
	db->cfg = database_resolve(ctx);
	db->dirfd = db->doublewrite = db->wal.seg.fd = -1;
	db->pages = db->cfg.table_size / db->cfg.page_size;
	db->n_files = db_page_file(db, db->pages - 1) + 1;
	db->n_actors = ctx->nworkers + 1;
	db->clients_left = ctx->nworkers - 1;
	db->pick = (struct db_pick){ .n = db->pages,
				     .distribution = db->cfg.distribution,
				     .hot = (uint64_t)(db->cfg.hot_pages / 100 * (double)db->pages),
				     .hot_share = db->cfg.hot_share / 100,
				     .theta = db->cfg.zipf_theta };
	db_pick_init(&db->pick, ctx->seed);
	db_crc_init(&db->crc);
	db_wal_init_locks(&db->wal);
	pthread_mutex_init(&db->pool.lock, NULL);
	pthread_cond_init(&db->pool.written, NULL);
}

static int database_prepare(struct fst_ctx *ctx)
{
	struct db *db = ctx->state;
	int r;

	database_init(db, ctx);
	r = database_make_tables(db);
	if (r == 0)
		r = database_make_actors(db);
	if (r == 0)
		r = db_pool_prepare(db);
	if (r == 0)
		r = db_layout(db);
	return r < 0 ? r : db_wal_prepare(db);
}

static int database_worker_init(struct fst_worker *w)
{
	struct db *db = w->ctx->state;

	db->actor[w->index].w = w;
	return 0;
}

static int database_run(struct fst_worker *w)
{
	struct db *db = w->ctx->state;
	struct db_actor *a = &db->actor[w->index];

	return w->index ? db_client_run(a) : db_background_run(a);
}

static int database_verify(struct fst_ctx *ctx)
{
	struct db *db = ctx->state;

	return db->cfg.verify ? db_verify(db) : 0;
}

static void database_free(struct db *db)
{
	for (uint32_t i = 0; db->actor && i < db->n_actors; i++)
		free(db->actor[i].batch);
	free(db->actor);
	db_pool_free(db);
	db_wal_free(&db->wal);
	free(db->file);
	free(db->shadow);
	free(db->touched);
	free(db->noise);
	free(db->second);
	free(db->checkpointing);
}

/* Also after a failure: what was measured until then stays. */
static int database_cleanup(struct fst_ctx *ctx)
{
	struct db *db = ctx->state;
	int r = 0, r2;

	if (!db->ctx) /* prepare was not reached */
		return 0;
	if (db->from_ns)
		r = db_result(db);
	r2 = db_seg_cleanup(db);
	r = r ? r : r2;
	r2 = db_layout_cleanup(db);
	database_free(db);
	return r ? r : r2;
}

FSTRIAL_PLUGIN(.kind = FST_WORKLOAD, .name = DB_NAME, .version = "1.0",
	       .summary = "transactions as PostgreSQL or InnoDB would write them",
	       .description = "A table of pages, a cache of some of them in memory, a write-ahead "
			      "log (WAL) and\n"
			      "checkpoints. Worker 0 makes the checkpoints and writes in the "
			      "background; workers 1 to\n"
			      "numjobs-1 are clients: numjobs = 9 stands for 8 clients. A "
			      "transaction reads pages,\n"
			      "changes pages, and commits: records of record_min to record_max "
			      "bytes go to the WAL,\n"
			      "and those who commit at the same time share one append and one sync "
			      "(group commit).\n"
			      "Pages that are not in the cache are read, one at a time; changed "
			      "ones are written when\n"
			      "their frame is needed, by the background writer, or by a "
			      "checkpoint, which spreads its\n"
			      "writes, starts writeback every 256 KiB and ends with an fsync of "
			      "each file.\n"
			      "model = \"innodb\": pages are written in batches to a doublewrite "
			      "file, synced, then\n"
			      "written in place and synced; the WAL is circular.\n"
			      "Measures transactions per second, the latency of commits and of "
			      "each kind of I/O, what\n"
			      "checkpoints do to them, and how many bytes are written for one that "
			      "changed.\n"
			      "Afterwards each changed page and the WAL are compared with what was "
			      "acknowledged.\n"
			      "Traps: a table smaller than memory is read from the page cache "
			      "unless direct = true.\n"
			      "A runtime shorter than checkpoint_interval may see no checkpoint. A "
			      "change of page_size\n"
			      "or record sizes changes the work of a transaction: then tps cannot "
			      "be compared. The\n"
			      "first commits find segments just made; take a ramp_time for the "
			      "steady state.",
	       FST_PARAMS(database_params), FST_METRICS(database_metrics), FST_OPS(database_ops),
	       .cfg_size = sizeof(struct db_cfg), .state_size = sizeof(struct db),
	       .flags = FST_NEEDS_DIR, .check = database_check, .estimate = database_estimate,
	       .prepare = database_prepare, .worker_init = database_worker_init,
	       .run = database_run, .verify = database_verify, .cleanup = database_cleanup);
