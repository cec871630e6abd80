/* SPDX-License-Identifier: GPL-3.0-or-later */
/* database: CRC-32C, by the processor's instruction where it has one. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct db_crc {
	uint32_t table[8][256];
	bool hardware;
};

static inline void db_crc_init(struct db_crc *c)
{
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t v = i;

		for (int bit = 0; bit < 8; bit++)
			v = (v >> 1) ^ (v & 1 ? 0x82f63b78u : 0);
		c->table[0][i] = v;
	}
	for (uint32_t i = 0; i < 256; i++)
		for (int k = 1; k < 8; k++)
			c->table[k][i] = (c->table[k - 1][i] >> 8) ^
					 c->table[0][c->table[k - 1][i] & 0xff];
#if defined(__x86_64__)
	c->hardware = __builtin_cpu_supports("sse4.2");
#endif
}

/* Eight bytes at a time by tables; little-endian or byte by byte. */
static inline uint32_t db_crc_tables(const struct db_crc *c, uint32_t crc, const unsigned char *p,
				     size_t n)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	for (; n >= 8; n -= 8, p += 8) {
		uint64_t v;

		memcpy(&v, p, sizeof(v));
		v ^= crc;
		crc = 0;
		for (int k = 0; k < 8; k++)
			crc ^= c->table[7 - k][(v >> (8 * k)) & 0xff];
	}
#endif
	for (; n; n--)
		crc = (crc >> 8) ^ c->table[0][(crc ^ *p++) & 0xff];
	return crc;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) static inline uint32_t db_crc_hardware(uint32_t crc,
									 const unsigned char *p,
									 size_t n)
{
	uint64_t wide = crc;

	for (; n >= 8; n -= 8, p += 8) {
		uint64_t v;

		memcpy(&v, p, sizeof(v));
		wide = __builtin_ia32_crc32di(wide, v);
	}
	crc = (uint32_t)wide;
	if (n >= 4) {
		uint32_t v;

		memcpy(&v, p, sizeof(v));
		crc = __builtin_ia32_crc32si(crc, v);
		n -= 4;
		p += 4;
	}
	for (; n; n--)
		crc = __builtin_ia32_crc32qi(crc, *p++);
	return crc;
}
#endif

/* Continues with crc, which is 0 at the beginning. */
static inline uint32_t db_crc32c(const struct db_crc *c, uint32_t crc, const void *buf, size_t n)
{
	crc = ~crc;
#if defined(__x86_64__)
	if (c->hardware)
		return ~db_crc_hardware(crc, buf, n);
#endif
	return ~db_crc_tables(c, crc, buf, n);
}
