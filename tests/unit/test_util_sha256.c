/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of core/util/sha256: the FIPS 180 vectors and the lengths around a block. */
#include <CUnit/CUnit.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/util/file.h"
#include "core/util/sha256.h"
#include "core/util/xalloc.h"

static void test_vectors(void)
{
	static const struct {
		const char *text;
		const char *hex;
	} rows[] = {
		{ "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
		{ "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
		{ "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
		  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
		{ "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
		  "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
		  "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1" },
	};
	char hex[65];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		sha256_hex(rows[i].text, strlen(rows[i].text), hex);
		CU_ASSERT_STRING_EQUAL(hex, rows[i].hex);
	}
}

static void test_lengths(void)
{
	/* sha256sum of that many 'a' */
	static const struct {
		size_t len;
		const char *hex;
	} rows[] = {
		{ 1, "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb" },
		{ 55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318" },
		{ 56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a" },
		{ 57, "f13b2d724659eb3bf47f2dd6af1accc87b81f09f59f2b75e5c0bed6589dfe8c6" },
		{ 63, "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34" },
		{ 64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb" },
		{ 65, "635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0" },
		{ 119, "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb" },
		{ 120, "2f3d335432c70b580af0e8e1b3674a7c020d683aa5f73aaaedfdc55af904c21c" },
		{ 128, "6836cf13bac400e9105071cd6af47084dfacad4e5e302c94bfed24e013afb73e" },
		{ 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0" },
	};
	char hex[65];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_free_ char *data = xmalloc(rows[i].len);

		memset(data, 'a', rows[i].len);
		sha256_hex(data, rows[i].len, hex);
		CU_ASSERT_STRING_EQUAL(hex, rows[i].hex);
	}
}

static void test_file(void)
{
	char path[] = "/tmp/test-sha256-XXXXXX", hex[65], again[65];
	_cleanup_free_ char *data = xcalloc(200001, 1);
	int fd = mkstemp(path);

	CU_ASSERT_TRUE_FATAL(fd >= 0);
	CU_ASSERT_EQUAL(file_write_all(fd, data, 200001), 0);
	close(fd);
	sha256_hex(data, 200001, hex);
	CU_ASSERT_EQUAL(sha256_file_hex(path, again, NULL), 0);
	CU_ASSERT_STRING_EQUAL(hex, again);
	unlink(path);
}

static void test_file_errors(void)
{
	struct err e = { 0, "" };
	char hex[65];

	CU_ASSERT_EQUAL(sha256_file_hex("/nonexistent/x", hex, &e), -ENOENT);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "/nonexistent/x: cannot open"));
	err_clear(&e);
	CU_ASSERT_EQUAL(sha256_file_hex("/tmp", hex, &e), -EISDIR);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "/tmp: cannot read"));
}

void test_util_sha256(void);

void test_util_sha256(void)
{
	static const struct {
		const char *name;
		CU_TestFunc fn;
	} tests[] = {
		{ "FIPS vectors", test_vectors },
		{ "lengths", test_lengths },
		{ "file", test_file },
		{ "file errors", test_file_errors },
	};
	CU_pSuite suite = CU_add_suite("util sha256", NULL, NULL);

	for (size_t i = 0; i < ARRAY_SIZE(tests); i++) {
		if (!suite || !CU_add_test(suite, tests[i].name, tests[i].fn)) {
			fprintf(stderr, "%s: %s\n", tests[i].name, CU_get_error_msg());
			abort();
		}
	}
}
