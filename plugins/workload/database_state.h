/* SPDX-License-Identifier: GPL-3.0-or-later */
/* database: the state of one step. Included by database_cfg.h. */
#pragma once

/* A page in memory. `pool->lock` guards all but the page's content and `valid`. */
struct db_frame {
	pthread_mutex_t content; /* the page's bytes, its LSN in the shadow, valid */
	bool valid; /* it was read without an error; not next to what another lock guards */
	uint64_t page;
	uint32_t pins;
	uint8_t usage;
	bool mapped;
	bool dirty;
	bool again;   /* made dirty after its copy for writing was taken */
	bool writing; /* one actor at a time */
};

struct db_pool {
	pthread_mutex_t lock;
	pthread_cond_t written; /* a frame's `writing` ended */
	uint32_t n;
	uint32_t hand;
	struct db_frame *frame;
	char *mem;
	uint32_t *map; /* frame + 1 of a page; 0: not in memory */
};

struct db_segments {
	pthread_mutex_t lock;
	uint64_t first, last; /* numbers of those that are there, both inclusive */
	uint64_t removed;     /* all below are gone */
	int fd;		      /* being written: the one who flushes */
	uint64_t number;      /* of fd */
	uint64_t created, recycled;
};

struct db_wal_counts {
	uint64_t flushes, commits; /* commits: that a flush made durable */
	uint64_t bytes;		   /* written */
	uint64_t records;	   /* bytes */
	uint64_t images;
};

struct db_wal {
	pthread_mutex_t lock;
	pthread_cond_t durable; /* flushed moved, or it failed */
	pthread_cond_t more;	/* a commit joined the group */
	pthread_cond_t space;	/* a checkpoint is complete */
	char *ring;
	uint64_t ring_size;
	uint32_t block;	  /* what is written is a multiple of it */
	char *tail;	  /* copy of the last block while it is written */
	uint64_t insert;  /* LSN behind the last record */
	uint64_t flushed; /* LSN up to which it is on disk */
	uint64_t redo;	  /* where the last checkpoint began: pages older than it get an image */
	uint64_t
		checkpoint; /* the redo of the last complete checkpoint: nothing before is needed */
	uint64_t capacity;  /* of a circular WAL; 0: grows */
	uint64_t reserve;   /* bytes that all workers' transactions may add */
	bool flushing;
	int failed;	   /* -errno */
	uint64_t *pending; /* LSNs of commits that wait, in order */
	uint32_t n_pending;
	uint32_t n_clients;
	bool counting;
	struct db_wal_counts count;
	struct db_segments seg;
};

struct db_checkpoints {
	uint64_t n;
	uint64_t ns; /* sum of their durations */
	uint64_t pages;
	int running;	 /* atomic */
	uint64_t *order; /* page and frame of what is dirty */
};

struct db {
	struct fst_ctx *ctx;
	struct db_cfg cfg; /* with all defaults resolved */
	struct db_crc crc;
	struct db_pick pick;
	char dir[DB_PATH];
	int dirfd;
	bool made; /* the directory is ours */
	uint32_t n_files;
	struct db_table_file *file;
	int doublewrite; /* fd, or -1 */
	uint64_t pages;
	uint64_t *shadow;  /* LSN of each page's last change; 0: as laid out */
	uint64_t *touched; /* one bit a page: atomic */
	char *noise;
	struct db_pool pool;
	struct db_wal wal;
	struct db_checkpoints ckpt;
	struct db_actor *actor; /* by worker; one more for the main thread */
	uint32_t n_actors;
	uint32_t clients_left;	/* atomic */
	uint64_t from_ns;	/* seconds are counted from here: atomic */
	uint32_t *second;	/* transactions in each: atomic */
	uint8_t *checkpointing; /* a checkpoint ran in that second: atomic */
};
