/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The ABI promise of plugin.h. Where each field lies and what each enum value is, as ABI 1 was
 * released: a change of that does not compile. And a plugin that was built then works with the
 * host of today.
 */
#include <CUnit/CUnit.h>
#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "fake_host.h"

/* As on every 64-bit Linux; elsewhere plugins are built with the program. */
#ifdef __LP64__
#define LAYOUT_FIELD(type, field, where, size)                                           \
	_Static_assert(offsetof(type, field) == (where), #type " " #field " has moved"); \
	_Static_assert(sizeof(((type *)NULL)->field) == (size),                          \
		       #type " " #field " has another size");
#define LAYOUT_SIZE(type, size) _Static_assert(sizeof(type) >= (size), #type " has shrunk");
#define LAYOUT_ENUM(name, value) _Static_assert((name) == (value), #name " is another number");
#include "tests/abi/layout_v1.h"

/*
 * These are inside structures or arrays whose owner does not know the other side's size, so
 * they can never grow.
 */
_Static_assert(sizeof(struct fst_list) == 16, "struct fst_list is part of plugins' configurations");
_Static_assert(sizeof(struct fst_engine_file) == 16,
	       "engines index arrays of struct fst_engine_file");
_Static_assert(sizeof(struct fst_io) == 64, "struct fst_io is one cache line");
#endif

_Static_assert(FST_MAGIC == 0x4c525446, "FST_MAGIC");
_Static_assert(FST_EVERY_WORKER == 0xffffffff, "FST_EVERY_WORKER");
/* The first four fields are where every ABI ever has them, for messages about the others. */
_Static_assert(offsetof(struct fstrial_plugin, magic) == 0, "magic");
_Static_assert(offsetof(struct fstrial_plugin, abi) == 4, "abi");
_Static_assert(offsetof(struct fstrial_plugin, struct_size) == 8, "struct_size");
_Static_assert(offsetof(struct fstrial_plugin, kind) == 12, "kind");

static const struct fstrial_plugin *v1_minimal(void)
{
	const char *build = getenv("BUILD");
	const struct fstrial_plugin *p = NULL;
	char path[4096];
	void *handle;

	snprintf(path, sizeof(path), "%s/tests/abi/v1_minimal.so", build ? build : "build");
	handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (handle)
		p = dlsym(handle, "fstrial_plugin");
	else
		printf("\n  %s\n", dlerror());
	CU_ASSERT_PTR_NOT_NULL_FATAL(p);
	return p;
}

static void test_check(void)
{
	const struct fstrial_plugin *p = v1_minimal();
	struct fake_host *h = fake_host_new(p);

	CU_ASSERT_EQUAL(p->check(&h->ctx), 0);
	fake_host_param(h, "count", "13");
	CU_ASSERT_EQUAL(p->check(&h->ctx), -EINVAL);
	CU_ASSERT_STRING_EQUAL(h->error, "n = 13 brings bad luck");
	fake_host_free(h);
}

static void test_estimate(void)
{
	const struct fstrial_plugin *p = v1_minimal();
	struct fst_estimate est = { .struct_size = sizeof(est) };
	struct fake_host *h = fake_host_new(p);

	h->ctx.nworkers = 3;
	CU_ASSERT_EQUAL(p->estimate(&h->ctx, &est), 0);
	CU_ASSERT_EQUAL(est.bytes_written, 3 * 10 * 4096);
	fake_host_free(h);
}

static void test_run(void)
{
	const struct fstrial_plugin *p = v1_minimal();
	struct fake_host *h = fake_host_new(p);
	struct fst_worker *w;

	h->ctx.nworkers = 1;
	CU_ASSERT_EQUAL(p->prepare(&h->ctx), 0);
	CU_ASSERT_STRING_EQUAL(fake_host_find(&h->metrics, "defaults"), "1");
	CU_ASSERT_STRING_EQUAL(fake_host_find(&h->notes, "n"), "default");
	fake_host_param(h, "n", "25");
	w = fake_worker_new(h, 0);
	CU_ASSERT_EQUAL(p->run(w), 0);
	CU_ASSERT_STRING_EQUAL(fake_host_find(&h->metrics, "operations"), "25");
	CU_ASSERT_EQUAL(h->ops[0].count, 13);
	CU_ASSERT_EQUAL(h->ops[1].count, 12);
	CU_ASSERT_EQUAL(h->ops[1].bytes, 12 * 4096);
	fake_worker_free(w);
	h->no_tools = true;
	CU_ASSERT_EQUAL(p->verify(&h->ctx), 0);
	CU_ASSERT_EQUAL(h->warnings.n, 1);
	fake_host_free(h);
}

void test_plugin_abi(void);
void test_plugin_abi(void)
{
	static const struct {
		const char *name;
		CU_TestFunc fn;
	} tests[] = {
		{ "old plugin: check", test_check },
		{ "old plugin: estimate", test_estimate },
		{ "old plugin: run", test_run },
	};
	CU_pSuite suite = CU_add_suite("plugin abi", NULL, NULL);

	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		if (!suite || !CU_add_test(suite, tests[i].name, tests[i].fn)) {
			fprintf(stderr, "%s: %s\n", tests[i].name, CU_get_error_msg());
			abort();
		}
	}
}
