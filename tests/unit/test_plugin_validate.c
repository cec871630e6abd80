/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tests of core/plugin/validate: descriptors in memory, each wrong in one respect, and what is
 * said of them.
 */
#include <CUnit/CUnit.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plugin_sample.h"

/*
 * Each spoils the sample in its i-th way and returns what is to be said, or NULL beyond the
 * last one.
 */
typedef const char *(*spoil_fn)(unsigned int i, struct sample *s);

#define CASE(n, change, text) \
	case n:               \
		change;       \
		return text

static const char *spoil_header(unsigned int i, struct sample *s)
{
	struct fstrial_plugin *p = &s->d.p;

	switch (i) {
		CASE(0, p->magic = 0x6e69626f,
		     "wrong magic 0x6e69626f instead of 0x4c525446: not a plugin of fstrial");
		CASE(1, p->abi = 2, "is built for ABI 2, this fstrial knows 1");
		CASE(2, p->abi = 0, "is built for ABI 0, this fstrial knows 1");
		CASE(3, p->struct_size = 56, "struct_size 56 is too small, ABI 1 has at least 64");
		CASE(4, p->struct_size = 0, "struct_size 0 is too small, ABI 1 has at least 64");
		CASE(5, p->struct_size = 65, "struct_size 65 is not the size of a descriptor");
		CASE(6, p->struct_size = 1u << 30,
		     "struct_size 1073741824 is not the size of a descriptor");
	case 7:
		p->struct_size = sizeof(s->d);
		s->d.more[1] = 1;
		snprintf(s->text, sizeof(s->text),
			 "uses fields that this fstrial does not know (struct_size %zu, known are "
			 "%zu)",
			 sizeof(s->d), sizeof(*p));
		return s->text;
		CASE(8, p->kind = 9, "its kind 9 is unknown");
		CASE(9, p->kind = 0, "its kind 0 is unknown");
		CASE(10, p->flags = 1u << 20,
		     "sets flags 0x100000 that this fstrial does not know");
		CASE(11, p->reserved = 5,
		     "uses fields that this fstrial does not know (reserved is 5)");
		CASE(12, (p->flags |= FST_DECLARES_METRICS, p->check = NULL),
		     "declares metrics and has no \"check\" to do that in");
		CASE(13, p->flags |= FST_ON_DEVICE,
		     "only a workload with \"next\" can do without files");
	default:
		return NULL;
	}
}

static const char *spoil_texts(unsigned int i, struct sample *s)
{
	struct fstrial_plugin *p = &s->d.p;

	switch (i) {
		CASE(0, p->name = NULL, "has no name");
		CASE(1, p->name = "", "has no name");
		CASE(2, p->name = "Sample",
		     "its name \"Sample\" is not of the form [a-z][a-z0-9_]*");
		CASE(3, p->name = "4k", "its name \"4k\" is not of the form [a-z][a-z0-9_]*");
		CASE(4, p->name = "sam-ple",
		     "its name \"sam-ple\" is not of the form [a-z][a-z0-9_]*");
		CASE(5, p->name = "../sample",
		     "its name \"../sample\" is not of the form [a-z][a-z0-9_]*");
		CASE(6, p->name = "samples",
		     "its name is \"samples\", which is not its file's (\"sample\")");
		CASE(7, p->name = "sampl",
		     "its name is \"sampl\", which is not its file's (\"sample\")");
		CASE(8, p->version = NULL, "has no version");
		CASE(9, p->version = "", "has no version");
		CASE(10, p->summary = NULL, "has no summary");
		CASE(11, p->summary = "a\nb", "its summary has more than one line");
		CASE(12, p->description = "", "has no description");
	default:
		return NULL;
	}
}

static const char *spoil_workload(unsigned int i, struct sample *s)
{
	struct fstrial_plugin *p = &s->d.p;

	switch (i) {
		CASE(0, p->run = NULL; p->n_ops = 0, "a workload needs \"run\" or \"next\"");
		CASE(1, p->next = sample_io, "a workload has either \"run\" or \"next\", not both");
		CASE(2, p->done = sample_io, "has \"done\" without \"next\"");
		CASE(3, p->apply = sample_ctx,
		     "\"apply\" is nothing for a plugin of kind workload");
		CASE(4, p->revert = sample_ctx,
		     "\"revert\" is nothing for a plugin of kind workload");
		CASE(5, p->readback = sample_ctx,
		     "\"readback\" is nothing for a plugin of kind workload");
		CASE(6, p->engine = &s->engine.ops,
		     "\"engine\" is nothing for a plugin of kind workload");
		CASE(7, p->run = NULL; p->next = sample_io; s->ops[0].name = "sync",
		     "operation \"sync\" has the name of one that is counted anyway");
		/* Ends before its callbacks: as if it had none. */
		CASE(8, p->struct_size = offsetof(struct fstrial_plugin, probe),
		     "a workload needs \"run\" or \"next\"");
	default:
		return NULL;
	}
}

static const char *spoil_setup(unsigned int i, struct sample *s)
{
	struct fstrial_plugin *p = &s->d.p;

	sample_make_setup(s);
	switch (i) {
		CASE(0, p->apply = NULL, "a setup needs \"apply\"");
		CASE(1, p->run = sample_run, "\"run\" is nothing for a plugin of kind setup");
		CASE(2, p->prepare = sample_ctx,
		     "\"prepare\" is nothing for a plugin of kind setup");
		CASE(3, p->next = sample_io, "\"next\" is nothing for a plugin of kind setup");
		CASE(4, p->n_ops = 2, "has operations without \"run\" or \"next\"");
	default:
		return NULL;
	}
}

static const char *spoil_engine(unsigned int i, struct sample *s)
{
	struct fst_engine_ops *ops = &s->engine.ops;

	sample_make_engine(s);
	switch (i) {
		CASE(0, s->d.p.engine = NULL, "an engine needs \"engine\"");
		CASE(1, ops->queue = NULL, "an engine needs \"queue\"");
		CASE(2, ops->submit = NULL,
		     "an engine needs \"submit\" and \"reap\" unless it is FST_ENGINE_SYNC");
		CASE(3, ops->reap = NULL,
		     "an engine needs \"submit\" and \"reap\" unless it is FST_ENGINE_SYNC");
		CASE(4, ops->struct_size = 40,
		     "struct_size 40 of its engine operations is wrong, ABI 1 has 56");
		CASE(5, ops->flags = 8,
		     "its engine sets flags 0x8 that this fstrial does not know");
		CASE(6, ops->reserved = 1,
		     "its engine uses fields that this fstrial does not know");
		CASE(7, ops->struct_size = sizeof(s->engine);
		     s->engine.more = 1, "its engine uses fields that this fstrial does not know");
		CASE(8, ops->flags = FST_ENGINE_SYNC;
		     ops->max_depth = 8,
		     "an engine that is FST_ENGINE_SYNC has depth 1, not max_depth 8");
		CASE(9, s->d.p.estimate = sample_estimate,
		     "\"estimate\" is nothing for a plugin of kind engine");
		CASE(10, ops->flags = FST_ENGINE_MAPPED,
		     "an engine that is FST_ENGINE_MAPPED is FST_ENGINE_SYNC");
	default:
		return NULL;
	}
}

static const char *spoil_params(unsigned int i, struct sample *s)
{
	struct fstrial_plugin *p = &s->d.p;

	switch (i) {
		CASE(0, p->params = NULL, "says it has 2 parameters but has no table of them");
		CASE(1, p->param_size = 0, "param_size 0 is too small, ABI 1 has at least 88");
		CASE(2, p->param_size = 80, "param_size 80 is too small, ABI 1 has at least 88");
		CASE(3, p->param_size = 92, "param_size 92 is not the size of a table's element");
		CASE(4, p->n_params = 1u << 20, "says it has 1048576 parameters, more than 4096");
		CASE(5, s->params[1].more = 1,
		     "its parameter 2 uses fields that this fstrial does not know");
		CASE(6, s->params[0].p.flags = 64,
		     "parameter \"count\" sets flags 0x40 that this fstrial does not know");
		CASE(7, s->params[1].p.choices = NULL,
		     "parameter \"colour\": says it has 2 choices but has no table of them");
		CASE(8, s->params[1].p.choice_size = 8,
		     "parameter \"colour\": choice_size 8 is too small, ABI 1 has at least 24");
	default:
		return NULL;
	}
}

static const char *spoil_metrics(unsigned int i, struct sample *s)
{
	struct fst_metric *m = &s->metrics[1].m;

	switch (i) {
		CASE(0, s->d.p.metrics = NULL, "says it has 2 metrics but has no table of them");
		CASE(1, s->d.p.metric_size = 0,
		     "metric_size 0 is too small, ABI 1 has at least 40");
		CASE(2, s->metrics[0].more = 1,
		     "its metric 1 uses fields that this fstrial does not know");
		CASE(3, m->name = NULL, "its metric 2 has no name");
		CASE(4, m->name = "a b",
		     "the name of its metric \"a b\" is not of the form [a-z][a-z0-9_]*");
		CASE(5, m->name = "rate", "has the metric \"rate\" twice");
		CASE(6, m->unit = NULL, "metric \"space\" has no unit");
		CASE(7, m->unit = "KiB",
		     "metric \"space\": unit \"KiB\" is none of ops/s, bytes/s, ns, bytes, count, "
		     "ratio");
		CASE(8, m->better = 3, "metric \"space\": better 3 is unknown");
		CASE(9, m->agg = 4, "metric \"space\": agg 4 is unknown");
		CASE(10, m->flags = 6,
		     "metric \"space\" sets flags 0x6 that this fstrial does not know");
		CASE(11, m->reserved = 1,
		     "metric \"space\" uses fields that this fstrial does not know (reserved is "
		     "1)");
		CASE(12, m->doc = NULL, "metric \"space\" has no doc");
	default:
		return NULL;
	}
}

static const char *spoil_ops_and_tools(unsigned int i, struct sample *s)
{
	switch (i) {
		CASE(0, s->d.p.ops = NULL, "says it has 2 operations but has no table of them");
		CASE(1, s->d.p.op_size = 8, "op_size 8 is too small, ABI 1 has at least 16");
		CASE(2, s->ops[1].name = "ping", "has the operation \"ping\" twice");
		CASE(3, s->ops[1].name = "Pong",
		     "the name of its operation \"Pong\" is not of the form [a-z][a-z0-9_]*");
		CASE(4, s->ops[1].doc = "", "operation \"pong\" has no doc");
		CASE(5, s->d.p.tools = NULL, "says it has 2 tools but has no table of them");
		CASE(6, s->d.p.tool_size = 16, "tool_size 16 is too small, ABI 1 has at least 24");
		CASE(7, s->tools[0].program = NULL, "its tool 1 has no name");
		CASE(8, s->tools[1].program = "mkfs.xfs", "has the tool \"mkfs.xfs\" twice");
		CASE(9, s->tools[0].package = NULL, "tool \"mkfs.xfs\" has no package");
	default:
		return NULL;
	}
}

static void test_spoilt(spoil_fn spoil)
{
	static struct sample s;
	struct fstrial_plugin copy;
	const char *want;

	for (unsigned int i = 0; sample_init(&s), want = spoil(i, &s); i++) {
		struct err e = { 0 };

		CU_ASSERT_EQUAL(plugin_validate(&s.d.p, "/some/where/sample.so", &copy, &e),
				-EINVAL);
		if (strcmp(e.text, want))
			printf("\n  case %u: \"%s\"\n  expected: \"%s\"\n", i, e.text, want);
		CU_ASSERT_STRING_EQUAL(e.text, want);
	}
}

/* What the parameters' own check finds is passed on. */
static void test_param_table(void)
{
	static struct sample s;
	struct fstrial_plugin copy;
	struct err e = { 0 };

	sample_init(&s);
	s.params[0].p.doc = NULL;
	CU_ASSERT_EQUAL(plugin_validate(&s.d.p, NULL, &copy, &e), -EINVAL);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "count"));
}

static void test_sound(void)
{
	static struct sample s;
	struct fstrial_plugin copy;
	struct err e = { 0 };

	sample_init(&s);
	CU_ASSERT_EQUAL(plugin_validate(&s.d.p, "sample.so", &copy, &e), 0);
	CU_ASSERT_EQUAL(memcmp(&copy, &s.d.p, sizeof(copy)), 0);
	s.d.p.struct_size = sizeof(s.d);
	CU_ASSERT_EQUAL(plugin_validate(&s.d.p, NULL, &copy, &e), 0);
	sample_make_setup(&s);
	s.d.p.estimate = sample_estimate;
	CU_ASSERT_EQUAL(plugin_validate(&s.d.p, NULL, &copy, &e), 0);
	sample_init(&s);
	sample_make_engine(&s);
	CU_ASSERT_EQUAL(plugin_validate(&s.d.p, NULL, &copy, &e), 0);
	s.engine.ops.struct_size = sizeof(s.engine);
	CU_ASSERT_EQUAL(plugin_validate(&s.d.p, NULL, &copy, &e), 0);
	s.engine.ops.flags = FST_ENGINE_SYNC;
	s.engine.ops.submit = NULL;
	s.engine.ops.reap = NULL;
	CU_ASSERT_EQUAL(plugin_validate(&s.d.p, NULL, &copy, &e), 0);
	CU_ASSERT_STRING_EQUAL(e.text, "");
}

/* Shorter than ours: what is missing reads as zero, whatever lies behind it. */
static void test_shorter(void)
{
	static struct sample s;
	struct fstrial_plugin copy;
	struct err e = { 0 };

	sample_init(&s);
	s.d.p.struct_size = offsetof(struct fstrial_plugin, verify);
	s.d.p.verify = sample_ctx;
	s.d.p.cleanup = sample_ctx;
	CU_ASSERT_EQUAL(plugin_validate(&s.d.p, NULL, &copy, &e), 0);
	CU_ASSERT_TRUE(copy.run == sample_run && !copy.verify && !copy.cleanup);
}

/* Tables are walked by the plugin's stride, not by ours. */
static void test_elements(void)
{
	static struct sample s;
	struct fst_metric m;
	struct fst_op_kind op;
	struct fst_tool tool;

	sample_init(&s);
	plugin_metric(&s.d.p, 1, &m);
	CU_ASSERT_STRING_EQUAL(m.name, "space");
	CU_ASSERT_EQUAL(m.agg, FST_MIN);
	plugin_op(&s.d.p, 1, &op);
	CU_ASSERT_STRING_EQUAL(op.name, "pong");
	plugin_tool(&s.d.p, 1, &tool);
	CU_ASSERT_STRING_EQUAL(tool.program, "true");
	s.d.p.metric_size = offsetof(struct fst_metric, better);
	s.d.p.metrics = &s.metrics[1].m;
	plugin_metric(&s.d.p, 0, &m);
	CU_ASSERT_STRING_EQUAL(m.unit, "bytes");
	CU_ASSERT_TRUE(m.better == 0 && m.agg == 0 && !m.doc);
}

static void test_header(void)
{
	test_spoilt(spoil_header);
}

static void test_texts(void)
{
	test_spoilt(spoil_texts);
}

static void test_workload(void)
{
	test_spoilt(spoil_workload);
}

static void test_setup(void)
{
	test_spoilt(spoil_setup);
}

static void test_engine(void)
{
	test_spoilt(spoil_engine);
}

static void test_params(void)
{
	test_spoilt(spoil_params);
}

static void test_metrics(void)
{
	test_spoilt(spoil_metrics);
}

static void test_ops_and_tools(void)
{
	test_spoilt(spoil_ops_and_tools);
}

void test_plugin_validate(void);
void test_plugin_validate(void)
{
	static const struct {
		const char *name;
		CU_TestFunc fn;
	} tests[] = {
		{ "sound", test_sound },
		{ "shorter", test_shorter },
		{ "elements", test_elements },
		{ "header", test_header },
		{ "texts", test_texts },
		{ "workload", test_workload },
		{ "setup", test_setup },
		{ "engine", test_engine },
		{ "params", test_params },
		{ "metrics", test_metrics },
		{ "ops and tools", test_ops_and_tools },
		{ "parameter table", test_param_table },
	};
	CU_pSuite suite = CU_add_suite("plugin validate", NULL, NULL);

	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		if (!suite || !CU_add_test(suite, tests[i].name, tests[i].fn)) {
			fprintf(stderr, "%s: %s\n", tests[i].name, CU_get_error_msg());
			abort();
		}
	}
}
