/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of core/io/device: a device in the place of files, as far as no device is needed. */
#include "core/io/device.h"
#include "tests/unit/io_host.h"

void test_io_device(void);

static void test_range(void)
{
	static const struct {
		uint64_t size, offset, increment, n, want; /* 0: does not fit */
		const char *said;
	} cases[] = {
		{ 0, 0, 0, 1, 1 << 20, NULL },
		{ 0, 0, 0, 7, 1 << 20, NULL },
		{ 0, 4096, 0, 2, (1 << 20) - 4096, NULL },
		{ 0, 4096, 65536, 3, (1 << 20) - 4096 - 2 * 65536, NULL },
		{ 1 << 20, 0, 0, 4, 1 << 20, NULL },
		{ 262144, 0, 262144, 4, 262144, NULL },
		{ 262144, 0, 262144, 5, 0,
		  "size = 256KiB behind the offset ends at 1310720 bytes, and it has 1048576 "
		  "(1MiB)" },
		{ 2 << 20, 0, 0, 1, 0,
		  "size = 2MiB ends at 2097152 bytes, and it has 1048576 (1MiB)" },
		{ 0, (1 << 20) - 4095, 0, 1, 0,
		  "offset: no I/O of 4KiB fits in behind 1044481 bytes, it has 1048576 (1MiB)" },
		{ 0, 1 << 20, 0, 1, 0,
		  "offset: no I/O of 4KiB fits in behind 1048576 bytes, it has 1048576 (1MiB)" },
		{ 1, UINT64_MAX, 1, 2, 0,
		  "size = 1B behind the offset ends at 18446744073709551615 bytes, and it has "
		  "1048576 (1MiB)" },
		{ 4096, 0, UINT64_MAX / 2, 4, 0,
		  "size = 4KiB behind the offset ends at 18446744073709551615 bytes, and it has "
		  "1048576 (1MiB)" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct io_params p = { .bs = 4096,
				       .size = cases[i].size,
				       .offset = cases[i].offset,
				       .offset_increment = cases[i].increment };
		struct err e = { 0 };
		uint64_t size = 0;
		int r = device_range(&p, cases[i].n, 1 << 20, "it", &size, &e);

		CU_ASSERT_EQUAL(r, cases[i].want ? 0 : -EINVAL);
		CU_ASSERT_STRING_EQUAL(e.text, cases[i].said ? cases[i].said : "");
		if (cases[i].want)
			CU_ASSERT_EQUAL(size, cases[i].want);
	}
}

/* Neither read nor written: what the path leads to is not what the guard has seen. */
static void test_not_the_device(void)
{
	struct io_device dev = { .size = 1 << 20, .may_write = true };
	struct io_params p = { .bs = 4096, .nrfiles = 1 };
	char dir[] = "/tmp/fstrial-test-XXXXXX", path[64], link[64];
	struct err e = { 0 };
	struct io_files f;
	int fd;

	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/file", dir);
	snprintf(link, sizeof(link), "%s/link", dir);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	CU_ASSERT_TRUE_FATAL(fd >= 0);
	close(fd);
	CU_ASSERT_EQUAL(symlink(path, link), 0);
	CU_ASSERT_EQUAL(files_init(&f, NULL, &p, &e), 0);
	dev.path = path;
	CU_ASSERT_EQUAL(device_init(&f, &dev, true, &e), -EPERM);
	CU_ASSERT_PTR_NOT_NULL(
		strstr(e.text, "/file became another device since it was looked at"));
	files_release(&f);
	err_clear(&e);
	dev.path = link;
	CU_ASSERT_EQUAL(device_init(&f, &dev, true, &e), -ELOOP);
	files_release(&f);
	err_clear(&e);
	/* Of an engine that touches nothing it is not even opened. */
	CU_ASSERT_EQUAL(device_init(&f, &dev, false, &e), 0);
	files_release(&f);
	CU_ASSERT_EQUAL(dir_remove_tree(dir, &e), 0);
}

static void test_writing_is_claimed(void)
{
	struct io_device dev = { .path = "/dev/it", .size = 1 << 20 };
	struct io_params p = { .bs = 4096, .nrfiles = 1, .offset = 8192 };
	const struct fst_file file = { .name = "x", .size = 1 };
	struct err e = { 0 };
	struct io_files f;
	uint32_t number;

	CU_ASSERT_EQUAL(files_init(&f, NULL, &p, &e), 0);
	CU_ASSERT_EQUAL(device_init(&f, &dev, true, &e), 0); /* to be read: it is not held */
	for (uint32_t mode = FST_FILE_CREATE; mode <= FST_FILE_AS_IS; mode++) {
		err_clear(&e);
		CU_ASSERT_EQUAL(files_add_set(&f, &p, 1, mode, &e), -EPERM);
		CU_ASSERT_STRING_EQUAL(
			e.text,
			"fst_files(): /dev/it would be written, and check did not claim it");
	}
	err_clear(&e);
	CU_ASSERT_EQUAL(files_add(&f, &file, 1, &number, &e), -EINVAL);
	CU_ASSERT_EQUAL(f.file.n, 0);
	err_clear(&e);
	CU_ASSERT_EQUAL(files_add_set(&f, &p, 3, FST_FILE_READ, &e), 0);
	CU_ASSERT_EQUAL_FATAL(f.file.n, 1); /* one for all */
	CU_ASSERT_EQUAL(f.file.v[0].worker, FST_EVERY_WORKER);
	CU_ASSERT_EQUAL(f.file.v[0].size, 1 << 20);
	CU_ASSERT_STRING_EQUAL(f.file.v[0].name, "/dev/it");
	err_clear(&e);
	CU_ASSERT_EQUAL(files_add_set(&f, &p, 3, FST_FILE_READ, &e), -EINVAL);
	files_release(&f);
}

void test_io_device(void)
{
	CU_pSuite s = CU_add_suite("core/io/device", NULL, NULL);

	CU_add_test(s, "what workers have of it", test_range);
	CU_add_test(s, "a path that leads elsewhere", test_not_the_device);
	CU_add_test(s, "written only when it was claimed", test_writing_is_claimed);
}
