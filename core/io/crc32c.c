/* SPDX-License-Identifier: GPL-3.0-or-later */
/* crc32c, by the processor's instruction where it has one. */
#include <string.h>

#include "core/io/verify.h"

#if defined(__x86_64__)
#include <nmmintrin.h>

static __attribute__((target("sse4.2"))) uint32_t crc32c_sse(uint32_t crc, const void *data,
							     size_t len)
{
	const unsigned char *p = data;
	uint64_t c = ~crc, word;

	for (; len >= sizeof(word); len -= sizeof(word), p += sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		c = _mm_crc32_u64(c, word);
	}
	for (; len; len--)
		c = _mm_crc32_u8((uint32_t)c, *p++);
	return ~(uint32_t)c;
}
#endif

/* Four bits at a time: small, and only where there is no instruction. */
uint32_t verify_crc32c_table(uint32_t crc, const void *data, size_t len)
{
	static const uint32_t table[16] = {
		0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1, 0x417b1dbc, 0x5125dad3,
		0x61c69362, 0x7198540d, 0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9,
		0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75,
	};
	const unsigned char *p = data;

	for (crc = ~crc; len; len--) {
		crc ^= *p++;
		crc = table[crc & 15] ^ (crc >> 4);
		crc = table[crc & 15] ^ (crc >> 4);
	}
	return ~crc;
}

uint32_t verify_crc32c(uint32_t crc, const void *data, size_t len)
{
#if defined(__x86_64__)
	if (__builtin_cpu_supports("sse4.2"))
		return crc32c_sse(crc, data, len);
#endif
	return verify_crc32c_table(crc, data, len);
}
