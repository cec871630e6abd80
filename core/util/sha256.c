/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SHA-256 (FIPS 180-4). */
#include "core/util/sha256.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "core/util/file.h"
#include "core/util/xalloc.h"

#define SHA256_BLOCK 64

struct sha256 {
	uint32_t h[8];
	uint64_t total; /* bytes */
	unsigned char block[SHA256_BLOCK];
	size_t fill;
};

static const uint32_t sha256_k[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
	0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
	0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
	0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
	0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
	0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
	0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
	0xc67178f2,
};

static _one_thread_ uint32_t sha256_rotr(uint32_t x, int k)
{
	return (x >> k) | (x << (32 - k));
}

static _one_thread_ void sha256_schedule(const unsigned char *p, uint32_t w[64])
{
	for (int i = 0; i < 16; i++, p += 4)
		w[i] = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
	for (int i = 16; i < 64; i++) {
		uint32_t a = w[i - 15], b = w[i - 2];
		uint32_t s0 = sha256_rotr(a, 7) ^ sha256_rotr(a, 18) ^ (a >> 3);
		uint32_t s1 = sha256_rotr(b, 17) ^ sha256_rotr(b, 19) ^ (b >> 10);

		w[i] = w[i - 16] + s0 + w[i - 7] + s1;
	}
}

static _one_thread_ void sha256_compress(struct sha256 *c, const unsigned char *p)
{
	uint32_t w[64], v[8];

	sha256_schedule(p, w);
	memcpy(v, c->h, sizeof(v));
	for (int i = 0; i < 64; i++) {
		uint32_t s1 = sha256_rotr(v[4], 6) ^ sha256_rotr(v[4], 11) ^ sha256_rotr(v[4], 25);
		uint32_t ch = (v[4] & v[5]) ^ (~v[4] & v[6]);
		uint32_t t1 = v[7] + s1 + ch + sha256_k[i] + w[i];
		uint32_t s0 = sha256_rotr(v[0], 2) ^ sha256_rotr(v[0], 13) ^ sha256_rotr(v[0], 22);
		uint32_t maj = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);

		memmove(v + 1, v, 7 * sizeof(v[0]));
		v[4] += t1;
		v[0] = t1 + s0 + maj;
	}
	for (int i = 0; i < 8; i++)
		c->h[i] += v[i];
}

static void sha256_init(struct sha256 *c)
{
	static const uint32_t start[8] = {
		0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
		0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
	};

	memset(c, 0, sizeof(*c));
	memcpy(c->h, start, sizeof(start));
}

static void sha256_add(struct sha256 *c, const void *data, size_t len)
{
	const unsigned char *p = data;

	c->total += len;
	while (len) {
		size_t n = MIN(len, SHA256_BLOCK - c->fill);

		memcpy(c->block + c->fill, p, n);
		c->fill += n;
		p += n;
		len -= n;
		if (c->fill == SHA256_BLOCK) {
			sha256_compress(c, c->block);
			c->fill = 0;
		}
	}
}

static void sha256_finish(struct sha256 *c, char hex[65])
{
	uint64_t bits = c->total * 8;
	unsigned char length[8];

	sha256_add(c, "\x80", 1);
	while (c->fill != SHA256_BLOCK - sizeof(length))
		sha256_add(c, "", 1);
	for (int i = 0; i < 8; i++)
		length[i] = (unsigned char)(bits >> (56 - 8 * i));
	sha256_add(c, length, sizeof(length));
	for (int i = 0; i < 8; i++)
		snprintf(hex + 8 * i, 9, "%08x", (unsigned int)c->h[i]);
}

void sha256_hex(const void *data, size_t len, char hex[65])
{
	struct sha256 c;

	sha256_init(&c);
	sha256_add(&c, data, len);
	sha256_finish(&c, hex);
}

int sha256_file_hex(const char *path, char hex[65], struct err *e)
{
	const size_t size = 64 * 1024;
	_cleanup_free_ char *buf = xmalloc(size);
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct sha256 c;
	size_t got;

	if (fd < 0)
		return err_set(e, errno, "%s: cannot open: %m", path);
	sha256_init(&c);
	do {
		int ret = file_read_all(fd, buf, size, &got);

		if (ret)
			return err_set(e, -ret, "%s: cannot read: %s", path, strerror(-ret));
		sha256_add(&c, buf, got);
	} while (got == size);
	sha256_finish(&c, hex);
	return 0;
}
