/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of the workload io on a device instead of files: what it claims, and which I/Os it asks for. */
#define FSTRIAL_STATIC io_device_test_io
#include "plugins/workload/io.c"
#undef FSTRIAL_STATIC
#define FSTRIAL_STATIC io_device_test_psync
#include "plugins/engine/psync.c"

#include "tests/unit/io_tally.h"

void test_plugin_io_device(void);

#define IO (&fstrial_plugin_io_device_test_io)
#define PSYNC (&fstrial_plugin_io_device_test_psync)

static const char *claimed;

static int note_claim(struct fst_ctx *ctx, const char *device)
{
	(void)ctx;
	claimed = device;
	return 0;
}

/* What destroys something says so, and nothing else does. */
static void test_claims(void)
{
	static const struct {
		int rw;
		bool claims;
	} cases[] = {
		{ IO_READ, false },	{ IO_RANDREAD, false }, { IO_WRITE, true },
		{ IO_RANDWRITE, true }, { IO_RW, true },	{ IO_RANDRW, true },
		{ IO_TRIM, true },	{ IO_RANDTRIM, true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct io_config cfg = { .rw = cases[i].rw };
		struct io_host h;

		io_host_init(&h, IO, PSYNC, &cfg);
		h.table.claim = note_claim;
		for (int device = 0; device < 2; device++) {
			claimed = NULL;
			h.p.filename = device ? "target.2" : "";
			h.p.size = device ? 0 : 65536;
			h.options = io_options_of(&h.p, &h.opt);
			h.ctx.io = &h.options;
			CU_ASSERT_EQUAL(io_check(&h.ctx), 0);
			CU_ASSERT_EQUAL(claimed != NULL, device && cases[i].claims);
			CU_ASSERT_STRING_EQUAL(claimed ? claimed : "target.2", "target.2");
		}
		h.p.bs = 100;
		h.options = io_options_of(&h.p, &h.opt);
		CU_ASSERT_EQUAL(io_check(&h.ctx), i < 6 ? 0 : -EINVAL);
		io_host_free(&h);
	}
}

/* All of it where no size is given, whose tail no block divides; or a part behind an offset. */
static void test_on_device(void)
{
	static const struct {
		int rw;
		uint64_t size, offset;
		const char *want;
	} cases[] = {
		{ IO_READ, 0, 0, "r0:0+4 r0:4+4 r0:8+4 r0:12+4 r0:16+2 " },
		{ IO_WRITE, 0, 8, "w0:8+4 w0:12+4 w0:16+2 " },
		{ IO_TRIM, 8, 4, "t0:4+4 t0:8+4 " },
		{ IO_RANDREAD, 0, 13, "r0:13+4 " },
	};

	for (size_t c = 0; c < ARRAY_SIZE(cases); c++) {
		const struct io_device dev = { .path = "/dev/it", .size = 18, .may_write = true };
		struct io_config cfg = { .rw = cases[c].rw };
		char got[512];
		struct io_host h;
		struct tally t;

		tally_init(&t, &h, IO, &cfg, 100);
		h.wl.device = &dev;
		h.ctx.dir = NULL;
		h.p.filename = "target";
		h.p.bs = 4;
		h.p.size = cases[c].size;
		h.p.offset = cases[c].offset;
		CU_ASSERT_EQUAL(io_host_run(&h), 0);
		tally_text(&t, got, sizeof(got));
		CU_ASSERT_STRING_EQUAL(got, cases[c].want);
		CU_ASSERT_STRING_EQUAL(io_host_str(&h, "data.device.path"), "/dev/it");
		CU_ASSERT_STRING_EQUAL(io_host_str(&h, "data.device.filename"), "target");
		CU_ASSERT_EQUAL(io_host_u64(&h, "data.device.size_bytes"), 18);
		CU_ASSERT_EQUAL(io_host_u64(&h, "data.dataset_bytes"), cases[c].size ? 12 : 18);
		CU_ASSERT_PTR_EQUAL(h.wl.io, &h.p);
		tally_free(&t, &h);
	}
}

static void test_on_device_refused(void)
{
	const struct io_device dev = { .path = "/dev/it", .size = 18 };
	struct io_config cfg = { .rw = IO_WRITE };
	struct io_host h;
	struct tally t;

	tally_init(&t, &h, IO, &cfg, 100);
	h.wl.device = &dev;
	h.p.filename = "target";
	h.p.bs = 4;
	h.p.size = 0;
	CU_ASSERT_EQUAL(io_host_run(&h), -EPERM); /* nobody asked the guard */
	CU_ASSERT_EQUAL(t.n, 0);
	cfg.rw = IO_READ;
	h.p.size = 19;
	CU_ASSERT_EQUAL(io_host_run(&h), -EINVAL);
	CU_ASSERT_STRING_EQUAL(h.err.text, "size = 19B ends at 19 bytes, and /dev/it has 18 (18B)");
	CU_ASSERT_EQUAL(t.n, 0);
	tally_free(&t, &h);
}

void test_plugin_io_device(void)
{
	CU_pSuite s = CU_add_suite("plugin/io on a device", NULL, NULL);

	CU_add_test(s, "what is said to be destroyed", test_claims);
	CU_add_test(s, "all of it, or a part", test_on_device);
	CU_add_test(s, "refused", test_on_device_refused);
}
