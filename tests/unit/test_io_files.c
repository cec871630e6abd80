/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of core/io/files, layout, direct and conditions, on real files. */
#include <math.h>
#include <sys/resource.h>

#include "core/io/conditions.h"
#include "core/io/direct.h"
#include "core/io/files.h"
#include "tests/unit/io_host.h"

void test_io_files(void);

struct fixture {
	char dir[256];
	struct io_params p;
	struct io_files f;
	struct live *live;
	struct layout l;
	struct err e;
	char warning[256];
};

static void note_warning(void *arg, const char *text)
{
	snprintf(((struct fixture *)arg)->warning, sizeof(((struct fixture *)arg)->warning), "%s",
		 text);
}

static void fixture_init(struct fixture *x)
{
	const char *tmp = getenv("TMPDIR");

	memset(x, 0, sizeof(*x));
	snprintf(x->dir, sizeof(x->dir), "%s/fstrial-test-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(x->dir))
		abort();
	x->p = (struct io_params){ .bs = 4096, .size = 3 << 20, .nrfiles = 2, .iodepth = 1 };
	x->live = live_new(1);
	x->l = (struct layout){ .live = x->live, .seed = 1, .warn = note_warning, .arg = x };
	CU_ASSERT_EQUAL(files_init(&x->f, x->dir, &x->p, &x->e), 0);
}

static void fixture_free(struct fixture *x)
{
	struct err e = { 0 };

	files_release(&x->f);
	live_free(x->live, 1);
	CU_ASSERT_EQUAL(dir_remove_tree(x->dir, &e), 0);
}

static void fixture_again(struct fixture *x)
{
	files_release(&x->f);
	err_clear(&x->e);
	CU_ASSERT_EQUAL(files_init(&x->f, x->dir, &x->p, &x->e), 0);
}

static const char *at(const struct fixture *x, const char *name)
{
	static char path[512];

	snprintf(path, sizeof(path), "%s/%s", x->dir, name);
	return path;
}

static int64_t size_of(const struct fixture *x, const char *name)
{
	struct stat st;

	return lstat(at(x, name), &st) < 0 ? -1 : (int64_t)st.st_size;
}

static int lay_out_one(struct fixture *x, const char *name, uint64_t size, uint32_t mode)
{
	const struct fst_file file = {
		.name = name, .size = size, .mode = mode, .worker = FST_EVERY_WORKER
	};
	uint32_t number;
	int r;

	fixture_again(x);
	x->f.laid_out = 0;
	r = files_add(&x->f, &file, 1, &number, &x->e);
	return r ? r : files_lay_out(&x->f, &x->l, &x->e);
}

static void test_set(void)
{
	struct fixture x;

	fixture_init(&x);
	CU_ASSERT_EQUAL(files_add_set(&x.f, &x.p, 2, FST_FILE_READ, &x.e), 0);
	CU_ASSERT_EQUAL(x.f.file.n, 4);
	CU_ASSERT_STRING_EQUAL(x.f.file.v[3].name, "data.1.1");
	CU_ASSERT_EQUAL(x.f.file.v[3].worker, 1);
	CU_ASSERT_EQUAL(x.f.file.v[3].size, 3 << 19);
	CU_ASSERT_EQUAL(files_total(&x.f), 2 * (3 << 20));
	CU_ASSERT_EQUAL(files_add_set(&x.f, &x.p, 2, FST_FILE_READ, &x.e), -EINVAL);
	fixture_again(&x);
	x.p.nrfiles = x.p.size + 1;
	CU_ASSERT_EQUAL(files_add_set(&x.f, &x.p, 2, FST_FILE_READ, &x.e), -EINVAL);
	CU_ASSERT_STRING_EQUAL(x.e.text, "size = 3MiB is too small for nrfiles = 3145729");
	fixture_free(&x);
}

static void test_names(void)
{
	static const char *const bad[] = {
		"", "/x", "..", "a/..", "../a", "a//b", "a/", ".", "./a"
	};
	struct fixture x;
	uint32_t number;

	fixture_init(&x);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		const struct fst_file file = { .name = bad[i], .size = 1 };

		err_clear(&x.e);
		CU_ASSERT_EQUAL(files_add(&x.f, &file, 1, &number, &x.e), -EINVAL);
	}
	CU_ASSERT_EQUAL(x.f.file.n, 0);
	CU_ASSERT_EQUAL(lay_out_one(&x, "a/b/..c", 5000, FST_FILE_READ), 0);
	CU_ASSERT_EQUAL(size_of(&x, "a/b/..c"), 5000);
	fixture_free(&x);
}

/* Missing, short and sparse files are filled; whole and longer ones are left alone. */
static void test_layout(void)
{
	struct fixture x;
	int fd;

	fixture_init(&x);
	CU_ASSERT_EQUAL(lay_out_one(&x, "f", (2 << 20) + 123, FST_FILE_READ), 0);
	CU_ASSERT_EQUAL(size_of(&x, "f"), (2 << 20) + 123);
	CU_ASSERT_EQUAL(x.f.laid_out, (2 << 20) + 123);
	CU_ASSERT_EQUAL(live_get(x.live->w[0].bytes), (2 << 20) + 123);
	CU_ASSERT_EQUAL(live_get(x.live->expected_bytes), (2 << 20) + 123);
	CU_ASSERT_EQUAL(lay_out_one(&x, "f", 2 << 20, FST_FILE_OVERWRITE), 0);
	CU_ASSERT_EQUAL(x.f.laid_out, 0);
	CU_ASSERT_EQUAL(size_of(&x, "f"), (2 << 20) + 123);
	CU_ASSERT_EQUAL(lay_out_one(&x, "f", 3 << 20, FST_FILE_READ), 0);
	CU_ASSERT_TRUE(x.f.laid_out >= (1 << 20) - 123 && x.f.laid_out < (1 << 20) + 4096);
	CU_ASSERT_EQUAL(size_of(&x, "f"), 3 << 20);
	fd = open(at(&x, "hole"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	CU_ASSERT_EQUAL(ftruncate(fd, 1 << 20), 0);
	close(fd);
	CU_ASSERT_EQUAL(lay_out_one(&x, "hole", 1 << 20, FST_FILE_READ), 0);
	CU_ASSERT_EQUAL(x.f.laid_out, 1 << 20);
	fixture_free(&x);
}

/* No block twice, none compressible, the same for the same seed. */
static void test_layout_data(void)
{
	static unsigned char a[1 << 20], b[1 << 20];
	struct fixture x;
	size_t len, same = 0, zeros = 0;
	int fd;

	fixture_init(&x);
	CU_ASSERT_EQUAL(lay_out_one(&x, "f", 2 << 20, FST_FILE_READ), 0);
	fd = open(at(&x, "f"), O_RDONLY | O_CLOEXEC);
	CU_ASSERT_EQUAL(file_read_all(fd, a, sizeof(a), &len), 0);
	CU_ASSERT_EQUAL(file_read_all(fd, b, sizeof(b), &len), 0);
	close(fd);
	for (size_t i = 0; i < sizeof(a); i += 4096)
		same += memcmp(a + i, b + i, 4096) == 0;
	for (size_t i = 0; i < sizeof(a); i++)
		zeros += a[i] == 0;
	CU_ASSERT_EQUAL(same, 0);
	CU_ASSERT_TRUE(zeros < sizeof(a) / 200);
	x.p.buffers = IO_BUFFERS_ZERO;
	CU_ASSERT_EQUAL(lay_out_one(&x, "z", 8192, FST_FILE_READ), 0);
	fd = open(at(&x, "z"), O_RDONLY | O_CLOEXEC);
	CU_ASSERT_EQUAL(file_read_all(fd, b, sizeof(b), &len), 0);
	close(fd);
	CU_ASSERT_EQUAL(len, 8192);
	CU_ASSERT_TRUE(b[0] == 0 && memcmp(b, b + 1, 8191) == 0);
	fixture_free(&x);
}

/* A new file is another file: what else names the old one keeps its data. */
static void test_create(void)
{
	struct fixture x;
	char old[512];

	fixture_init(&x);
	CU_ASSERT_EQUAL(lay_out_one(&x, "f", 4096, FST_FILE_READ), 0);
	snprintf(old, sizeof(old), "%s", at(&x, "f"));
	CU_ASSERT_EQUAL(link(old, at(&x, "other")), 0);
	CU_ASSERT_EQUAL(lay_out_one(&x, "f", 4096, FST_FILE_CREATE), 0);
	CU_ASSERT_EQUAL(size_of(&x, "f"), 0);
	CU_ASSERT_EQUAL(size_of(&x, "other"), 4096);
	CU_ASSERT_STRING_EQUAL(x.warning, "");
	x.l.to_write = UINT64_MAX / 2;
	CU_ASSERT_EQUAL(lay_out_one(&x, "f", 4096, FST_FILE_CREATE), 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(x.warning, "ENOSPC is to be expected"));
	fixture_free(&x);
}

/* What is not ours is neither followed nor replaced. */
static void test_strangers(void)
{
	static const uint32_t modes[] = { FST_FILE_READ, FST_FILE_CREATE, FST_FILE_OVERWRITE };
	struct fixture x;

	fixture_init(&x);
	CU_ASSERT_EQUAL(lay_out_one(&x, "victim", 100, FST_FILE_READ), 0);
	CU_ASSERT_EQUAL(symlink("victim", at(&x, "link")), 0);
	CU_ASSERT_EQUAL(mkdir(at(&x, "dir"), 0700), 0);
	CU_ASSERT_EQUAL(mkfifo(at(&x, "fifo"), 0600), 0);
	CU_ASSERT_EQUAL(symlink("dir", at(&x, "dirlink")), 0);
	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		CU_ASSERT_EQUAL(lay_out_one(&x, "link", 9999, modes[i]), -ELOOP);
		CU_ASSERT_STRING_EQUAL(x.e.text,
				       "link is a symbolic link, not a data file of ours");
		CU_ASSERT_TRUE(lay_out_one(&x, "dir", 9999, modes[i]) < 0);
		CU_ASSERT_EQUAL(lay_out_one(&x, "fifo", 9999, modes[i]), -EINVAL);
		CU_ASSERT_TRUE(lay_out_one(&x, "dirlink/f", 9999, modes[i]) < 0);
	}
	CU_ASSERT_EQUAL(size_of(&x, "victim"), 100);
	CU_ASSERT_EQUAL(size_of(&x, "dir/f"), -1);
	fixture_free(&x);
}

static void test_no_space(void)
{
	struct fixture x;

	fixture_init(&x);
	CU_ASSERT_EQUAL(lay_out_one(&x, "f", 1ull << 60, FST_FILE_READ), -ENOSPC);
	CU_ASSERT_PTR_NOT_NULL(strstr(x.e.text, "needs 1152921504606846976 bytes (1024PiB)"));
	CU_ASSERT_PTR_NOT_NULL(strstr(x.e.text, "are available"));
	CU_ASSERT_EQUAL(size_of(&x, "f"), 0);
	live_set(x.live->stop, 1);
	CU_ASSERT_EQUAL(lay_out_one(&x, "f", 1 << 20, FST_FILE_READ), -ECANCELED);
	fixture_free(&x);
}

static void test_open(void)
{
	struct fst_engine_file *v;
	struct fst_file shared = { .name = "shared", .size = 4096, .worker = FST_EVERY_WORKER };
	struct fixture x;
	uint32_t n;

	fixture_init(&x);
	CU_ASSERT_EQUAL(files_add_set(&x.f, &x.p, 2, FST_FILE_READ, &x.e), 0);
	CU_ASSERT_EQUAL(files_lay_out(&x.f, &x.l, &x.e), 0);
	CU_ASSERT_EQUAL(files_open(&x.f, 0, &v, &n, &x.e), 0);
	CU_ASSERT_EQUAL(n, 2);
	CU_ASSERT_TRUE(v[0].fd >= 0 && v[1].fd >= 0);
	CU_ASSERT_EQUAL(v[0].size, 3 << 19);
	CU_ASSERT_EQUAL(fcntl(v[0].fd, F_GETFL) & (O_ACCMODE | O_NONBLOCK), O_RDONLY);
	CU_ASSERT_EQUAL(fcntl(v[0].fd, F_GETFD), FD_CLOEXEC);
	files_close(&v, &n);
	CU_ASSERT_EQUAL(files_add(&x.f, &shared, 2, &n, &x.e), 0);
	CU_ASSERT_EQUAL(n, 4);
	CU_ASSERT_EQUAL(files_lay_out(&x.f, &x.l, &x.e), 0);
	CU_ASSERT_EQUAL(files_open(&x.f, 1, &v, &n, &x.e), 0);
	CU_ASSERT_EQUAL(n, 5);
	CU_ASSERT_TRUE(v[0].fd < 0 && v[1].fd < 0 && v[2].fd >= 0 && v[3].fd >= 0 && v[4].fd >= 0);
	CU_ASSERT_EQUAL(unlink(at(&x, "data.0.0")), 0);
	files_close(&v, &n);
	CU_ASSERT_EQUAL(files_open(&x.f, 0, &v, &n, &x.e), -ENOENT);
	CU_ASSERT_STRING_EQUAL(x.e.text, "open data.0.0");
	files_close(&v, &n);
	fixture_free(&x);
}

static void test_limit(void)
{
	struct rlimit old, low;
	struct fixture x;

	fixture_init(&x);
	x.p.nrfiles = 1000;
	CU_ASSERT_EQUAL(files_add_set(&x.f, &x.p, 1, FST_FILE_READ, &x.e), 0);
	getrlimit(RLIMIT_NOFILE, &old);
	low = old;
	low.rlim_cur = 100;
	CU_ASSERT_EQUAL(setrlimit(RLIMIT_NOFILE, &low), 0);
	CU_ASSERT_EQUAL(files_raise_limit(&x.f, 1, &x.e), 0);
	getrlimit(RLIMIT_NOFILE, &low);
	CU_ASSERT_TRUE(low.rlim_cur >= 1066);
	setrlimit(RLIMIT_NOFILE, &old);
	fixture_free(&x);
}

/* Every size of a split and where the workers begin: each is named. */
static void direct_others(int fd)
{
	static const struct {
		struct io_params p;
		const char *says;
	} bad[] = {
		{ { .shares = { { .bs = 4096 }, { .bs = 4196 }, { .bs = 65536 } }, .n_shares = 3 },
		  "bssplit: block size = 4196B: direct I/O on f " },
		{ { .bs = 4096, .offset = 100 }, "offset = 100B: direct I/O on f " },
		{ { .bs = 4096, .offset_increment = 4097 },
		  "offset_increment = 4097B: direct I/O on f " },
	};
	struct err e = { 0 };

	if (direct_check(fd, "f", &(struct io_params){ .bs = 4096, .offset = 4096 }, 1 << 20, &e))
		CU_FAIL("aligned, but refused");
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		err_clear(&e);
		/* A kernel that does not tell its alignment has the block sizes tried only. */
		if (direct_check(fd, "f", &bad[i].p, 1 << 20, &e) == 0)
			CU_FAIL("not refused");
		CU_ASSERT_PTR_NOT_NULL(strstr(e.text, bad[i].says));
	}
}

/* Only where the file system has direct I/O and tells its alignment. */
static void test_direct(void)
{
	struct io_params big = { .bs = 1 << 20 }, small = { .bs = 100 };
	struct err e = { 0 };
	struct fixture x;
	int fd;

	fixture_init(&x);
	CU_ASSERT_EQUAL(lay_out_one(&x, "f", 1 << 20, FST_FILE_READ), 0);
	fd = open(at(&x, "f"), O_RDONLY | O_DIRECT | O_CLOEXEC);
	if (fd >= 0) {
		CU_ASSERT_EQUAL(direct_check(fd, "f", &big, 1 << 20, &e), 0);
		if (direct_check(fd, "f", &small, 1 << 20, &e)) { /* tmpfs takes anything */
			CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "bs = 100B: direct I/O on f "));
			direct_others(fd);
		}
		close(fd);
	}
	fixture_free(&x);
}

static void test_resident(void)
{
	static char buf[1 << 20];
	struct fixture x;
	double share;
	int fd;

	fixture_init(&x);
	CU_ASSERT_TRUE(isnan(conditions_resident(&x.f)));
	CU_ASSERT_EQUAL(lay_out_one(&x, "f", 1 << 20, FST_FILE_READ), 0);
	share = conditions_resident(&x.f);
	CU_ASSERT_TRUE(share >= 0 && share <= 1);
	fd = open(at(&x, "f"), O_RDONLY | O_CLOEXEC);
	CU_ASSERT_EQUAL(read(fd, buf, sizeof(buf)), sizeof(buf));
	close(fd);
	CU_ASSERT_EQUAL(conditions_resident(&x.f), 1);
	CU_ASSERT_EQUAL(lay_out_one(&x, "f", 1 << 20, FST_FILE_CREATE), 0);
	CU_ASSERT_TRUE(isnan(conditions_resident(&x.f)));
	CU_ASSERT_TRUE(conditions_ram() > 1 << 20);
	fixture_free(&x);
}

void test_io_files(void)
{
	CU_pSuite s = CU_add_suite("io/files", NULL, NULL);

	CU_ADD_TEST(s, test_set);
	CU_ADD_TEST(s, test_names);
	CU_ADD_TEST(s, test_layout);
	CU_ADD_TEST(s, test_layout_data);
	CU_ADD_TEST(s, test_create);
	CU_ADD_TEST(s, test_strangers);
	CU_ADD_TEST(s, test_no_space);
	CU_ADD_TEST(s, test_open);
	CU_ADD_TEST(s, test_limit);
	CU_ADD_TEST(s, test_direct);
	CU_ADD_TEST(s, test_resident);
}
