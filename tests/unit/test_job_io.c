/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of core/job/step_io: split block sizes and distributions. */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <string.h>

#include "core/util/macro.h"
#include "job_fixture.h"

void test_job_io(void);

/* A step of the data workload with these parameters more. */
static bool says(const char *params, const char *want)
{
	char text[1024];

	snprintf(text, sizeof(text), "{ workload = \"sequential\"; size = \"1GiB\"; %s }", params);
	return fixture_steps_say(text, want);
}

static void resolve(struct fixture *f, struct step *s, const char *params)
{
	char text[1024];

	fixture_open(f);
	snprintf(text, sizeof(text),
		 "steps = ( { workload = \"sequential\"; size = \"1GiB\"; %s } );\n", params);
	fixture_load(f, text);
	CU_ASSERT_STRING_EQUAL(f->said, "");
	CU_ASSERT_EQUAL(job_step_resolve(&f->job, 0, 0, s, &f->d), 0);
}

static void test_bssplit(void)
{
	struct fixture f;
	struct step s;

	resolve(&f, &s, "bs = \"1MiB\"; bssplit = \"4k/50:64KiB/30:512B/\";");
	CU_ASSERT_EQUAL(s.io.n_shares, 3);
	CU_ASSERT_EQUAL(s.io_public.n_bssplit, 3);
	CU_ASSERT_EQUAL(s.io_public.bssplit[0].bs, 4096);
	CU_ASSERT_EQUAL(s.io_public.bssplit[0].percent, 50);
	CU_ASSERT_EQUAL(s.io_public.bssplit[1].bs, 65536);
	CU_ASSERT_EQUAL(s.io_public.bssplit[1].percent, 30);
	CU_ASSERT_EQUAL(s.io_public.bssplit[2].bs, 512);
	CU_ASSERT_EQUAL(s.io_public.bssplit[2].percent, 20);
	CU_ASSERT_EQUAL(s.io_public.bs, 512);
	CU_ASSERT_EQUAL(s.io_public.buffer_size, 65536);
	step_release(&s);
	fixture_close(&f);

	resolve(&f, &s, "bs = \"8k\";");
	CU_ASSERT_PTR_NULL(s.io_public.bssplit);
	CU_ASSERT_EQUAL(s.io_public.bs, 8192);
	CU_ASSERT_EQUAL(s.io_public.buffer_size, 8192);
	CU_ASSERT_EQUAL(s.io_public.rwmixread, 50);
	CU_ASSERT_EQUAL(s.io_public.offset, 0);
	CU_ASSERT_FALSE(s.io_public.norandommap);
	step_release(&s);
	fixture_close(&f);
}

static void test_bssplit_bad(void)
{
	char split[512] = "", text[600], want[700];
	size_t n = 0;

	CU_ASSERT_TRUE(says("bssplit = \"4k/60:64k/30\";",
			    "t.job:2: sequential: bssplit = \"4k/60:64k/30\": its percentages sum "
			    "to 90 instead of 100\n"));
	CU_ASSERT_TRUE(says("bssplit = \"4k/60:64k/50:1k/\";",
			    "t.job:2: sequential: bssplit = \"4k/60:64k/50:1k/\": its percentages "
			    "sum to 110 instead of 100\n"));
	CU_ASSERT_TRUE(says("bssplit = \"4096/100\";",
			    "t.job:2: sequential: bssplit = \"4096/100\": \"4096\" needs a unit: "
			    "write \"4096B\" or \"4096KiB\"\n"));
	CU_ASSERT_TRUE(says("bssplit = \"4k/30:8k/:16k/\"; random_distribution = \"zoned:1/2\";",
			    "t.job:2: sequential: random_distribution = \"zoned:1/2\": its "
			    "percentages sum to 2 instead of 100\n"));
	CU_ASSERT_TRUE(says("bssplit = \"4k/:8k/:16k/\";",
			    "t.job:2: sequential: bssplit = \"4k/:8k/:16k/\": 33.3333 percent: "
			    "whole percents are needed\n"));
	CU_ASSERT_TRUE(says("bssplit = \"4k/100,8k/100\";",
			    "t.job:2: sequential: bssplit = \"4k/100,8k/100\": one split serves "
			    "reads and writes: no comma\n"));
	CU_ASSERT_TRUE(says("bssplit = \"2GiB/100\";",
			    "t.job:2: sequential: bssplit = \"2GiB/100\": \"2GiB\" is not between "
			    "1B and 1GiB\n"));
	for (int i = 0; i < IO_MAX_SHARES; i++)
		n += (size_t)snprintf(split + n, sizeof(split) - n, "4k/1:");
	snprintf(split + n, sizeof(split) - n, "4k/");
	snprintf(text, sizeof(text), "bssplit = \"%s\";", split);
	snprintf(want, sizeof(want), "t.job:2: sequential: bssplit = \"%s\": more than 64 parts\n",
		 split);
	CU_ASSERT_TRUE(says(text, want));
	/* The file must hold the largest. */
	CU_ASSERT_TRUE(says("bssplit = \"1m/50:512m/50\"; nrfiles = 4;",
			    "t.job:2: sequential: nrfiles = 4: each file gets less of size = "
			    "\"1GiB\" than one I/O of bssplit = \"512MiB\"\n"));
}

static void test_distribution(void)
{
	static const struct {
		const char *text;
		int kind;
		double theta;
	} good[] = {
		{ "random", IO_UNIFORM, 0 },	  { "zipf", IO_ZIPF, 1.1 },
		{ "zipf:0.8", IO_ZIPF, 0.8 },	  { "pareto", IO_PARETO, 0.2 },
		{ "pareto:0.3", IO_PARETO, 0.3 }, { "normal:15", IO_NORMAL, 15 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		char text[64];
		struct fixture f;
		struct step s;

		snprintf(text, sizeof(text), "random_distribution = \"%s\";", good[i].text);
		resolve(&f, &s, text);
		CU_ASSERT_EQUAL(s.io.random.kind, good[i].kind);
		CU_ASSERT_DOUBLE_EQUAL(s.io.random.theta, good[i].theta, 1e-12);
		CU_ASSERT_EQUAL(s.io_public.norandommap, good[i].kind != IO_UNIFORM);
		step_release(&s);
		fixture_close(&f);
	}
}

static void test_zones(void)
{
	struct fixture f;
	struct step s;

	resolve(&f, &s, "random_distribution = \"zoned:50/5:30/15:20/\";");
	CU_ASSERT_EQUAL(s.io.random.kind, IO_ZONED);
	CU_ASSERT_EQUAL(s.io.random.n_zones, 3);
	CU_ASSERT_DOUBLE_EQUAL(s.io.random.zones[1].access, 30, 1e-12);
	CU_ASSERT_DOUBLE_EQUAL(s.io.random.zones[2].size, 80, 1e-9);
	step_release(&s);
	fixture_close(&f);
}

static void test_distribution_bad(void)
{
	static const struct {
		const char *text, *why;
	} bad[] = {
		{ "zipfy", "is none of random, zipf:THETA, pareto:H, normal:PERCENT, "
			   "zoned:A/S:A/S..." },
		{ "", "is none of random, zipf:THETA, pareto:H, normal:PERCENT, zoned:A/S:A/S..." },
		{ "zipf:0", "zipf needs theta above 0" },
		{ "zipf:-1", "zipf needs theta above 0" },
		{ "pareto:1", "pareto needs a share between 0 and 1" },
		{ "normal", "normal needs a standard deviation in percent of the blocks" },
		{ "zoned:60/5:30/95", "its accesses sum to 90 percent instead of 100" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		char text[64], want[256];

		snprintf(text, sizeof(text), "random_distribution = \"%s\";", bad[i].text);
		snprintf(want, sizeof(want),
			 "t.job:2: sequential: random_distribution = \"%s\": %s\n", bad[i].text,
			 bad[i].why);
		CU_ASSERT_TRUE(says(text, want));
	}
	CU_ASSERT_TRUE(says("random_distribution = \"zipf\"; norandommap = false;",
			    "t.job:2: sequential: norandommap = false: with random_distribution "
			    "= \"zipf\" blocks come again\n"));
	CU_ASSERT_TRUE(says("random_distribution = \"zipf\"; norandommap = true;", ""));
}

static void test_rates(void)
{
	CU_ASSERT_TRUE(says("rate = \"100MiB\"; rate_process = \"poisson\";", ""));
	CU_ASSERT_TRUE(says("thinktime = \"1ms\"; thinktime_blocks = 4;", ""));
	CU_ASSERT_TRUE(says("rate = \"100MiB\"; rate_iops = 10;",
			    "t.job:2: sequential: rate_iops: rate is given, too; one of them says "
			    "when the next I/O is due\n"));
	CU_ASSERT_TRUE(says("rate_iops = 10; thinktime = \"1ms\";",
			    "t.job:2: sequential: thinktime: a rate says when the next I/O is "
			    "due\n"));
	CU_ASSERT_TRUE(says("rate_process = \"poisson\";",
			    "t.job:2: sequential: rate_process: there is no rate or rate_iops\n"));
}

static void test_buffers(void)
{
	struct fixture f;
	struct step s;

	resolve(&f, &s, "buffers = \"pattern\"; buffer_pattern = \"0xdeadBEEF00\";");
	CU_ASSERT_EQUAL(s.io.buffers, IO_BUFFERS_PATTERN);
	CU_ASSERT_EQUAL(s.io.n_pattern, 5);
	CU_ASSERT_EQUAL(memcmp(s.io.pattern, "\xde\xad\xbe\xef", 5), 0);
	step_release(&s);
	fixture_close(&f);
	resolve(&f, &s, "buffers = \"pattern\"; buffer_pattern = \"abc\";");
	CU_ASSERT_EQUAL(s.io.n_pattern, 3);
	CU_ASSERT_EQUAL(memcmp(s.io.pattern, "abc", 3), 0);
	step_release(&s);
	fixture_close(&f);
	CU_ASSERT_TRUE(says("buffers = \"pattern\";",
			    "t.job:2: sequential: buffers = \"pattern\": needs a "
			    "buffer_pattern\n"));
	CU_ASSERT_TRUE(says("buffer_pattern = \"abc\";",
			    "t.job:2: sequential: buffer_pattern: is of buffers = \"pattern\" "
			    "only\n"));
	CU_ASSERT_TRUE(says("buffers = \"pattern\"; buffer_pattern = \"0xabc\";",
			    "t.job:2: sequential: buffer_pattern = \"0xabc\": half a byte: an even "
			    "number of digits is needed\n"));
	CU_ASSERT_TRUE(says("buffers = \"pattern\"; buffer_pattern = \"0xag\";",
			    "t.job:2: sequential: buffer_pattern = \"0xag\": not all hexadecimal "
			    "digits after 0x\n"));
	CU_ASSERT_TRUE(says("buffers = \"pattern\"; buffer_pattern = \"0x\";",
			    "t.job:2: sequential: buffer_pattern = \"0x\": 0 bytes: 1 to 512 are "
			    "needed\n"));
	CU_ASSERT_TRUE(says("buffers = \"zero\"; buffer_compress_percentage = 50;",
			    "t.job:2: sequential: buffer_compress_percentage: only buffers = "
			    "\"random\" has a random part\n"));
}

void test_job_io(void)
{
	CU_pSuite s = CU_add_suite("job io", NULL, NULL);

	CU_ADD_TEST(s, test_bssplit);
	CU_ADD_TEST(s, test_bssplit_bad);
	CU_ADD_TEST(s, test_distribution);
	CU_ADD_TEST(s, test_zones);
	CU_ADD_TEST(s, test_distribution_bad);
	CU_ADD_TEST(s, test_rates);
	CU_ADD_TEST(s, test_buffers);
}
