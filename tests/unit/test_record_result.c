/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The journal and the document that is made of it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <CUnit/CUnit.h>

#include "core/record/result.h"
#include "core/util/file.h"
#include "core/util/json.h"
#include "core/util/xalloc.h"

void test_record_result(void);

static char dir[64];

static int begin_dir(void)
{
	strcpy(dir, "/tmp/fstrial-test-XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}

static int end_dir(void)
{
	return dir_remove_tree(dir, NULL);
}

static void append(struct journal *j, const char *type, const char *members)
{
	_cleanup_json_ json_t *o = js_parse(members, strlen(members), "test", NULL);
	struct err e = { 0 };

	CU_ASSERT_FATAL(o != NULL);
	CU_ASSERT(journal_append(j, type, o, &e) == 0);
}

static void write_session(struct journal *j)
{
	struct err e = { 0 };

	CU_ASSERT_FATAL(journal_open(dir, j, &e) == 0);
	append(j, "session",
	       "{\"session\":{\"id\":\"s\",\"status\":\"partial\",\"ended\":null,\"once\":[]},\"variants\":[]}");
	append(j, "once", "{\"steps\":[{\"name\":\"o\"}]}");
	append(j, "trial", "{\"trial\":{\"variant\":\"v01\",\"x\":0.1}}");
	append(j, "trial", "{\"trial\":{\"variant\":\"v02\",\"x\":null}}");
}

static void test_document(void)
{
	struct journal j;
	struct err e = { 0 };
	json_t *doc = NULL, *session;

	CU_ASSERT_FATAL(begin_dir() == 0);
	write_session(&j);
	append(&j, "end", "{\"ended\":\"now\",\"status\":\"complete\"}");
	journal_close(&j);
	CU_ASSERT(result_write(dir, &e) == 0);
	CU_ASSERT(result_load(dir, &doc, &e) == 0);
	session = json_object_get(doc, "session");
	CU_ASSERT_STRING_EQUAL(js_get_str(doc, "format", ""), RESULT_FORMAT);
	CU_ASSERT_STRING_EQUAL(js_get_str(session, "status", ""), "complete");
	CU_ASSERT_STRING_EQUAL(js_get_str(session, "ended", ""), "now");
	CU_ASSERT(json_array_size(json_object_get(session, "once")) == 1);
	CU_ASSERT(json_array_size(json_object_get(doc, "trials")) == 2);
	CU_ASSERT(json_object_get(doc, "type") == NULL);
	json_decref(doc);
	end_dir();
}

/* The session was killed while it wrote its third trial: what is whole counts. */
static void test_cut_off(void)
{
	struct journal j;
	struct err e = { 0 };
	json_t *doc = NULL;

	CU_ASSERT_FATAL(begin_dir() == 0);
	write_session(&j);
	CU_ASSERT(file_write_all(j.fd, "{\"type\":\"trial\",\"tri", 20) == 0);
	journal_close(&j);
	CU_ASSERT(result_load(dir, &doc, &e) == 0);
	CU_ASSERT_STRING_EQUAL(js_get_str(json_object_get(doc, "session"), "status", ""), "partial");
	CU_ASSERT(json_array_size(json_object_get(doc, "trials")) == 2);
	json_decref(doc);
	end_dir();
}

static void test_refused(void)
{
	struct journal j, again;
	struct err e = { 0 };
	json_t *doc = NULL;
	char path[128];

	CU_ASSERT_FATAL(begin_dir() == 0);
	CU_ASSERT(result_load(dir, &doc, &e) == -ENOENT);
	err_clear(&e);
	CU_ASSERT_FATAL(journal_open(dir, &j, &e) == 0);
	CU_ASSERT(journal_open(dir, &again, &e) == -EEXIST);
	CU_ASSERT(file_write_all(j.fd, "not json\n", 9) == 0);
	journal_close(&j);
	err_clear(&e);
	CU_ASSERT(result_load(dir, &doc, &e) == -EINVAL);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "journal.jsonl:1"));
	snprintf(path, sizeof(path), "%s/other.json", dir);
	CU_ASSERT(file_write_atomic(path, "{\"a\":1}", 7, NULL) == 0);
	err_clear(&e);
	CU_ASSERT(result_load(path, &doc, &e) == -EINVAL);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "is not a result document"));
	end_dir();
}

void test_record_result(void)
{
	CU_pSuite s = CU_add_suite("record/result", NULL, NULL);

	CU_ADD_TEST(s, test_document);
	CU_ADD_TEST(s, test_cut_off);
	CU_ADD_TEST(s, test_refused);
}
