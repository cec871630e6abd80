/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Headers of blocks: made, checked, and looked for at the end. */
#include "core/io/verify.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "core/util/xalloc.h"

#define VERIFY_MAGIC 0x56545346u /* "FSTV" */
enum { VERIFY_VERSION = 1, VERIFY_BLOCK = 4096, VERIFY_CHUNK = 1 << 20 };

_Static_assert(sizeof(struct verify_header) == 48, "the format on disk");
_Static_assert(sizeof(struct verify_header) <= VERIFY_MIN_BLOCK, "a block holds its header");

static uint64_t verify_gcd(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

uint64_t verify_block(const struct io_params *p)
{
	uint64_t block = verify_gcd(VERIFY_BLOCK, p->n_shares ? 0 : p->bs);

	for (uint32_t i = 0; i < p->n_shares; i++)
		block = verify_gcd(block, p->shares[i].bs);
	return verify_gcd(verify_gcd(block, p->offset), p->offset_increment);
}

/* FNV-1a: the same in every process, so that a later step knows the file again. */
static uint64_t verify_key(const char *name)
{
	uint64_t h = 0xcbf29ce484222325ull;

	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * 0x100000001b3ull;
	return h;
}

void verify_init(struct verify *v, const struct io_files *f, const struct io_params *p,
		 uint64_t seed)
{
	*v = (struct verify){ .files = f, .n = f->file.n, .seed = seed, .block = verify_block(p) };
	v->v = xcalloc(v->n + 1, sizeof(*v->v));
	for (size_t i = 0; i < v->n; i++) {
		const struct io_file *file = &f->file.v[i];

		v->v[i].key = verify_key(file->name);
		v->v[i].n = file->size / v->block + 1;
		v->v[i].written = xcalloc(v->v[i].n, 1);
		v->v[i].strict = file->worker != FST_EVERY_WORKER &&
				 (p->iodepth == 1 ||
				  !(p->norandommap || p->random.kind != IO_UNIFORM));
	}
}

void verify_release(struct verify *v)
{
	for (size_t i = 0; v->v && i < v->n; i++)
		free(v->v[i].written);
	free(v->v);
	v->v = NULL;
	v->n = 0;
}

/* The next generation; workers may share a file. */
static uint8_t verify_next(struct verify_file *f, uint64_t block)
{
	uint8_t g;

	if (block >= f->n)
		return 1;
	g = __atomic_load_n(&f->written[block], __ATOMIC_RELAXED);
	g = g == UINT8_MAX ? 1 : (uint8_t)(g + 1);
	__atomic_store_n(&f->written[block], g, __ATOMIC_RELAXED);
	return g;
}

void verify_fill(struct verify *v, uint32_t file, uint64_t offset, void *buf, uint64_t length)
{
	for (uint64_t at = 0, len; at < length; at += len) {
		struct verify_header h = { .magic = VERIFY_MAGIC,
					   .version = VERIFY_VERSION,
					   .size = sizeof(h),
					   .seed = v->seed,
					   .file = v->v[file].key,
					   .offset = offset + at };

		len = MIN(v->block, length - at);
		if (len < VERIFY_MIN_BLOCK) /* the end of a file of an odd size */
			return;
		h.length = (uint32_t)len;
		h.generation = verify_next(&v->v[file], (offset + at) / v->block);
		memcpy((char *)buf + at, &h, sizeof(h));
		h.crc = verify_crc32c(0, (char *)buf + at, len);
		memcpy((char *)buf + at, &h, sizeof(h));
	}
}

void verify_forget(struct verify *v, uint32_t file, uint64_t offset, uint64_t length)
{
	struct verify_file *f = &v->v[file];

	for (uint64_t b = offset / v->block; b < f->n && b * v->block < offset + length; b++)
		__atomic_store_n(&f->written[b], 0, __ATOMIC_RELAXED);
}

static int verify_wrong(const struct verify *v, uint32_t file, uint64_t at, struct err *e,
			const char *what, uint64_t expected, uint64_t found)
{
	return err_set(e, EBADMSG, "verify: %s at offset %llu: %s: expected 0x%llx, found 0x%llx",
		       v->files->file.v[file].name, (unsigned long long)at, what,
		       (unsigned long long)expected, (unsigned long long)found);
}

static uint32_t verify_crc_of(const struct verify_header *h, const char *block)
{
	struct verify_header without = *h;
	uint32_t crc;

	without.crc = 0;
	crc = verify_crc32c(0, &without, sizeof(without));
	return verify_crc32c(crc, block + sizeof(without), h->length - sizeof(without));
}

/* One block of at most left bytes; *len is how long it says it is. generation 0: any will do. */
static int verify_one(const struct verify *v, uint32_t file, uint64_t at, const char *block,
		      uint64_t left, uint32_t generation, uint64_t *len, struct err *e)
{
	struct verify_header h;
	uint32_t crc;

	memcpy(&h, block, sizeof(h));
	if (h.magic != VERIFY_MAGIC)
		return verify_wrong(v, file, at, e,
				    "no header of a block written with verify = crc32c",
				    VERIFY_MAGIC, h.magic);
	if (h.version != VERIFY_VERSION || h.size != sizeof(h))
		return verify_wrong(v, file, at, e, "header of another version", VERIFY_VERSION,
				    h.version);
	if (h.offset != at)
		return verify_wrong(v, file, at, e, "header of another offset", at, h.offset);
	if (h.file != v->v[file].key)
		return verify_wrong(v, file, at, e, "header of another file", v->v[file].key,
				    h.file);
	if (h.length < VERIFY_MIN_BLOCK || h.length > left)
		return verify_wrong(v, file, at, e, "header with a wrong length", left, h.length);
	crc = verify_crc_of(&h, block);
	if (h.crc != crc)
		return verify_wrong(v, file, at, e, "crc32c of the data is wrong", h.crc, crc);
	if (generation && h.seed != v->seed)
		return verify_wrong(v, file, at, e, "stale: written by an earlier step", v->seed,
				    h.seed);
	if (generation && h.generation != generation)
		return verify_wrong(v, file, at, e, "stale: an earlier write of the block",
				    generation, h.generation);
	*len = h.length;
	return 0;
}

int verify_check(const struct verify *v, uint32_t file, uint64_t offset, const void *buf,
		 uint64_t length, struct err *e)
{
	int r = 0;

	for (uint64_t at = 0, len = 0; r == 0 && length - at >= VERIFY_MIN_BLOCK; at += len)
		r = verify_one(v, file, offset + at, (const char *)buf + at, length - at, 0, &len,
			       e);
	return r;
}

struct verify_read {
	int fd;
	uint32_t file;
	char *buf;
	uint64_t from, to; /* bytes of the file that are in buf */
};

static int verify_load(const struct verify *v, struct verify_read *r, uint64_t at, struct err *e)
{
	ssize_t n;

	r->from = at - at % VERIFY_CHUNK;
	n = pread(r->fd, r->buf, VERIFY_CHUNK, (off_t)r->from);
	if (n < 0)
		return err_sys(e, errno, "verify: read %s at offset %llu",
			       v->files->file.v[r->file].name, (unsigned long long)r->from);
	r->to = r->from + (uint64_t)n;
	return 0;
}

static int verify_blocks(const struct verify *v, struct verify_read *r, const int *stop,
			 uint64_t *bytes, struct err *e)
{
	const struct verify_file *f = &v->v[r->file];
	int ret = 0;

	for (uint64_t b = 0; b < f->n && ret == 0; b++) {
		const uint64_t at = b * v->block;
		uint64_t len = 0;

		if (!f->written[b])
			continue;
		if (__atomic_load_n(stop, __ATOMIC_RELAXED))
			return err_set(e, ECANCELED, "interrupted");
		if (at < r->from || at >= r->to)
			ret = verify_load(v, r, at, e);
		if (ret == 0 && r->to < at + VERIFY_MIN_BLOCK)
			ret = err_set(e, EIO, "verify: %s ends at %llu, before offset %llu",
				      v->files->file.v[r->file].name, (unsigned long long)r->to,
				      (unsigned long long)at);
		if (ret == 0)
			ret = verify_one(v, r->file, at, r->buf + (at - r->from), r->to - at,
					 f->strict ? f->written[b] : 0, &len, e);
		*bytes += ret ? 0 : len;
	}
	return ret;
}

static int verify_file(const struct verify *v, struct verify_read *r, const int *stop,
		       uint64_t *bytes, struct err *e)
{
	const struct io_files *f = v->files;
	int ret;

	r->fd = files_open_one(f, f->file.v[r->file].name, O_RDONLY | (f->direct ? O_DIRECT : 0),
			       e);
	if (r->fd < 0)
		return r->fd;
	/* From the device, not from memory: what is dirty has to go first. */
	if (!f->direct && fsync(r->fd) == 0)
		(void)posix_fadvise(r->fd, 0, 0, POSIX_FADV_DONTNEED);
	r->from = r->to = 0;
	ret = verify_blocks(v, r, stop, bytes, e);
	close(r->fd);
	return ret;
}

int verify_pass(struct verify *v, const int *stop, uint64_t *bytes, struct err *e)
{
	struct verify_read r = { .fd = -1 };
	int ret = 0;

	r.buf = aligned_alloc(VERIFY_BLOCK, VERIFY_CHUNK);
	if (!r.buf)
		return err_set(e, ENOMEM, "verify: memory");
	for (size_t i = 0; i < v->n && ret == 0; i++) {
		r.file = (uint32_t)i;
		if (v->files->file.v[i].mode != FST_FILE_READ)
			ret = verify_file(v, &r, stop, bytes, e);
	}
	free(r.buf);
	return ret;
}
