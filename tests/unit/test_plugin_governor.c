/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plugins/setup/governor: all policies alike, and each back to its own. */
#define FSTRIAL_STATIC governor

#include <CUnit/CUnit.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "core/util/file.h"
#include "core/util/xalloc.h"
#include "tests/unit/fake_host.h"

static char cpus[64];

#define GOVERNOR_ROOT cpus
#include "plugins/setup/governor.c"

static void cpus_put(const char *file, const char *text)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", cpus, file), *dir = xstrdup(path);

	*strrchr(dir, '/') = '\0';
	CU_ASSERT_EQUAL(dir_make(dir, 0700, NULL), 0);
	CU_ASSERT_EQUAL(file_write_atomic(path, text, strlen(text), NULL), 0);
}

static const char *cpus_text(const char *policy)
{
	static char text[SYSFS_VALUE_MAX];
	char name[64];

	snprintf(name, sizeof(name), "%s/scaling_governor", policy);
	return sysfs_value_read(cpus, name, text, sizeof(text)) < 0 ? "?" : text;
}

static void cpus_open(void)
{
	snprintf(cpus, sizeof(cpus), "/tmp/fstrial-test-XXXXXX");
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(cpus));
}

static void cpus_fill(void)
{
	cpus_put("policy0/scaling_governor", "schedutil\n");
	cpus_put("policy2/scaling_governor", "powersave\n");
	cpus_put("policy10/scaling_governor", "schedutil\n");
	cpus_put("policy0/scaling_available_governors", "performance powersave schedutil \n");
	cpus_put("boost", "1\n");
}

static void test_absent(void)
{
	struct fake_host *h = fake_host_new(&fstrial_plugin_governor);

	cpus_open();
	CU_ASSERT_EQUAL(governor_probe(&h->ctx), -EOPNOTSUPP);
	CU_ASSERT_PTR_NOT_NULL(strstr(h->error, "governs no frequency here"));
	CU_ASSERT_EQUAL(dir_remove_tree(cpus, NULL), 0);
	CU_ASSERT_EQUAL(governor_probe(&h->ctx), -EOPNOTSUPP);
	fake_host_free(h);
}

static void test_set(void)
{
	struct fake_host *h = fake_host_new(&fstrial_plugin_governor);

	cpus_open();
	cpus_fill();
	CU_ASSERT_EQUAL(governor_probe(&h->ctx), 0);
	CU_ASSERT_EQUAL(governor_apply(&h->ctx), 0);
	CU_ASSERT_STRING_EQUAL(cpus_text("policy0"), "performance");
	CU_ASSERT_STRING_EQUAL(cpus_text("policy2"), "performance");
	CU_ASSERT_STRING_EQUAL(cpus_text("policy10"), "performance");
	CU_ASSERT_STRING_EQUAL(fake_host_find(&h->asked, "governor"), "performance");
	fake_host_next_process(h);
	CU_ASSERT_EQUAL(governor_readback(&h->ctx), 0);
	CU_ASSERT_STRING_EQUAL(fake_host_find(&h->in_force, "governor"), "performance");
	fake_host_next_process(h);
	cpus_put("policy10/scaling_governor", "powersave\n");
	CU_ASSERT_EQUAL(governor_readback(&h->ctx), 0);
	CU_ASSERT_STRING_EQUAL(fake_host_find(&h->in_force, "governor"), "powersave (policy10)");
	CU_ASSERT_EQUAL(fake_host_revert(h), 0);
	CU_ASSERT_STRING_EQUAL(cpus_text("policy0"), "schedutil");
	CU_ASSERT_STRING_EQUAL(cpus_text("policy2"), "powersave");
	CU_ASSERT_STRING_EQUAL(cpus_text("policy10"), "schedutil");
	CU_ASSERT_EQUAL(dir_remove_tree(cpus, NULL), 0);
	/* Processors that are gone have nothing to be put back. */
	CU_ASSERT_EQUAL(fake_host_revert(h), 0);
	fake_host_free(h);
}

static void test_words(void)
{
	struct fake_host *h = fake_host_new(&fstrial_plugin_governor);

	cpus_open();
	cpus_fill();
	CU_ASSERT_EQUAL(governor_refused(&h->ctx, EINVAL, "policy0/scaling_governor", "turbo"),
			-EINVAL);
	CU_ASSERT_STRING_EQUAL(
		h->error, "governor = turbo: the kernel offers performance powersave schedutil");
	CU_ASSERT_EQUAL(dir_remove_tree(cpus, NULL), 0);
	fake_host_free(h);
}

void test_plugin_governor(void);

void test_plugin_governor(void)
{
	CU_pSuite s = CU_add_suite("plugin governor", NULL, NULL);

	CU_add_test(s, "no frequencies", test_absent);
	CU_add_test(s, "apply, readback, revert", test_set);
	CU_add_test(s, "refused", test_words);
}
