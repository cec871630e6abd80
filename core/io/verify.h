/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Is what is read what was written? Each block that is written begins with a header which says where
 * it belongs and carries a crc32c of the block; reads check it, in the same step or in a later one. While a
 * step writes it remembers how often each block was written, so that its own pass at the end sees
 * stale blocks, too.
 */
#pragma once

#include <fstrial/plugin.h>

#include "core/io/files.h"
#include "core/util/err.h"

enum { VERIFY_MIN_BLOCK = 64 };

/* Little-endian, at the beginning of each block. */
struct verify_header {
	uint32_t magic;
	uint16_t version;
	uint16_t size; /* of the header */
	uint64_t seed; /* of the step that wrote it */
	uint64_t file; /* from the file's name */
	uint64_t offset;
	uint32_t length; /* of the block, header included */
	uint32_t
		generation; /* how often the step wrote it, laid out included: 1 to 255, and again from 1 */
	uint32_t reserved;
	uint32_t crc; /* of the block, with 0 here */
};

struct verify_file {
	uint64_t key;
	uint8_t *written; /* by block: generation; 0: not written by this step */
	uint64_t n;
	bool strict; /* only one write of a block is in flight at a time */
};

struct verify {
	const struct io_files *files;
	struct verify_file *v; /* by number of the file */
	size_t n;
	uint64_t seed;
	uint64_t block;
};

/* Bytes from one header to the next: divides every block size and offset, at most 4 KiB. */
uint64_t verify_block(const struct io_params *p);
/* After the files are known. */
void verify_init(struct verify *v, const struct io_files *f, const struct io_params *p,
		 uint64_t seed);
void verify_release(struct verify *v);
/* Headers into what is to be written, as of file number file. */
void verify_fill(struct verify *v, uint32_t file, uint64_t offset, void *buf, uint64_t length);
/* What is to be trimmed has no headers any more. */
void verify_forget(struct verify *v, uint32_t file, uint64_t offset, uint64_t length);
/* What was read. 0, or -EBADMSG with file, offset, what was expected and what was found. */
int verify_check(const struct verify *v, uint32_t file, uint64_t offset, const void *buf,
		 uint64_t length, struct err *e) _must_check_;
/* Reads and checks all blocks that the step wrote; *bytes of them. -ECANCELED when *stop. */
int verify_pass(struct verify *v, const int *stop, uint64_t *bytes, struct err *e) _must_check_;

uint32_t verify_crc32c(uint32_t crc, const void *data, size_t len);
/* The same without the processor's instruction. */
uint32_t verify_crc32c_table(uint32_t crc, const void *data, size_t len);
