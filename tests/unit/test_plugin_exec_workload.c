/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plugins/workload/exec: numbers out of texts. */
#include <CUnit/CUnit.h>

#define FSTRIAL_STATIC exec_workload
#include "plugins/workload/exec.c"
#include "tests/unit/fake_host.h"

void test_plugin_exec_workload(void);

/* Checked; parser and metrics may be NULL. */
static struct fake_host *workload_new(const char *parser, const char *metric)
{
	struct fake_host *h = fake_host_new(&fstrial_plugin_exec_workload);

	fake_host_param(h, "argv", "x");
	if (parser)
		fake_host_param(h, "parser", parser);
	if (metric)
		fake_host_param(h, "metrics", metric);
	return h;
}

/* The value that a parsed output gave; NAN where it gave none. */
static double value_of(const struct fake_host *h, const char *name)
{
	const char *text = fake_host_find(&h->metrics, name);

	return text ? strtod(text, NULL) : NAN;
}

static bool same(double a, double b)
{
	return isnan(a) ? isnan(b) : fabs(a - b) <= 1e-9 * fabs(b);
}

static int parse(struct fake_host *h, const char *out, const char *err)
{
	struct exec_state *st = h->ctx.state;
	int r = exec_workload_check(&h->ctx);

	if (r < 0)
		return r;
	st->out = strdup(out);
	st->err = strdup(err);
	r = exec_verify(&h->ctx);
	exec_cleanup(&h->ctx);
	return r;
}

static void test_rules(void)
{
	static const struct {
		const char *rule, *out, *declared;
		double value;
	} rows[] = {
		{ "a = /a ([0-9.]+)/", "a 1\na 2.5\n", "count 0 1", 2.5 },
		{ "a = /a ([0-9.]+)/ first", "a 1\na 2.5\n", "count 0 1", 1 },
		{ "a=/a ([0-9.]+)/ sum higher", "a 1 a 2.5 a 3", "count 1 1", 6.5 },
		{ "a = /a ([0-9.]+)/ mean ops/s higher", "a 1\na 2\na 6\n", "ops/s 1 1", 3 },
		{ "a = /a ([0-9.]+)/ min ms lower", "a 4\na 2\na 3\n", "ns 2 1", 2e6 },
		{ "a = /a ([0-9.]+)/ max us lower primary", "a 4\na 2\n", "ns 2 1", 4000 },
		{ "a = /^([0-9]+)$/ MiB", "x 1\n22\n", "bytes 0 1", 22 * 1048576.0 },
		{ "a = /^([0-9]+)/ sum", "1 2\n3 4\n", "count 0 1", 4 },
		{ "a = /(wrote|read) ([0-9]+)/ kB/s higher", "wrote 3, read 5", "bytes/s 1 1", 5000 },
		{ "a = /x\\/s: (-?[0-9.e+]+)/ ratio", "x/s: -1.5e+2", "ratio 0 1", -150 },
		{ "a = /\\$ ([0-9]+)/ %", "$ 50", "ratio 0 1", 0.5 },
		{ "a = /took (.*)$/ clock lower", "took 1:13:45\n", "ns 2 1", 4425e9 },
		{ "a = /took (.*)$/ clock lower", "took 12:40.55\n", "ns 2 1", 760.55e9 },
		{ "a = /took (.*)$/ clock lower", "took 0m3.25s\n", "ns 2 1", 3.25e9 },
		{ "a = /nothing ([0-9])/ optional", "x", "count 0 1", NAN },
	};
	size_t i;

	for (i = 0; i < FST_COUNT(rows); i++) {
		struct fake_host *h = workload_new(NULL, rows[i].rule);

		CU_ASSERT_EQUAL(parse(h, rows[i].out, ""), 0);
		CU_ASSERT_PTR_NULL(h->error);
		CU_ASSERT_STRING_EQUAL(fake_host_find(&h->declared, "a"), rows[i].declared);
		CU_ASSERT(same(value_of(h, "a"), rows[i].value));
		/* Standard error is as good. */
		fake_host_next_process(h);
		CU_ASSERT_EQUAL(parse(h, "", rows[i].out), 0);
		CU_ASSERT(same(value_of(h, "a"), rows[i].value));
		fake_host_free(h);
	}
}

static void test_rule_errors(void)
{
	static const struct {
		const char *rule, *out, *error;
	} rows[] = {
		{ "", "", "expects NAME = /REGEX/" },
		{ "A = /(x)/", "", "a name is of the form" },
		{ "a /(x)/", "", "expects a = /REGEX/" },
		{ "a = (x)", "", "expects a = /REGEX/" },
		{ "a = /(x)", "", "the second slash" },
		{ "a = /x/", "", "Put it in ( )" },
		{ "a = /(x/", "", "the regular expression is wrong" },
		{ "a = /(x)/ furlong", "", "\"furlong\" is no unit" },
		{ "a = /(x)/ ms s", "", "has two units" },
		{ "a = /a (.*)$/", "b", "metric a: nothing in the output matches it" },
		{ "a = /a (.*)$/", "a 1,234\n", "metric a: \"1,234\" is no number" },
		{ "a = /a (.*)$/ clock", "a 1:x\n", "metric a: \"1:x\" is no number" },
	};
	size_t i;

	for (i = 0; i < FST_COUNT(rows); i++) {
		struct fake_host *h = workload_new(NULL, rows[i].rule);

		CU_ASSERT_EQUAL(parse(h, rows[i].out, ""), -EINVAL);
		CU_ASSERT(h->error && strstr(h->error, rows[i].error));
		fake_host_free(h);
	}
}

/* The first rule is the primary one, or those that say so; without any it is the time. */
static void test_primary(void)
{
	struct fake_host *h = workload_new(NULL, "a = /(1)/");

	fake_host_param(h, "metrics", "b = /(1)/ ms lower primary");
	CU_ASSERT_EQUAL(exec_workload_check(&h->ctx), 0);
	CU_ASSERT_STRING_EQUAL(fake_host_find(&h->declared, "a"), "count 0 0");
	CU_ASSERT_STRING_EQUAL(fake_host_find(&h->declared, "b"), "ns 2 1");
	fake_host_param(h, "metrics", "a = /(2)/");
	CU_ASSERT_EQUAL(exec_workload_check(&h->ctx), -EINVAL);
	CU_ASSERT_STRING_EQUAL(h->error, "metrics: a is there twice");
	fake_host_free(h);
	h = workload_new(NULL, NULL);
	CU_ASSERT_EQUAL(exec_workload_check(&h->ctx), 0);
	CU_ASSERT_STRING_EQUAL(fake_host_find(&h->declared, "elapsed"), "ns 2 1");
	fake_host_free(h);
	h = workload_new("time", "a = /(1)/");
	CU_ASSERT_EQUAL(exec_workload_check(&h->ctx), 0);
	CU_ASSERT_STRING_EQUAL(fake_host_find(&h->declared, "real"), "ns 2 1");
	CU_ASSERT_STRING_EQUAL(fake_host_find(&h->declared, "a"), "count 0 0");
	CU_ASSERT_PTR_NULL(fake_host_find(&h->declared, "elapsed"));
	fake_host_free(h);
}

struct figure {
	const char *name;
	double value;
};

static void expect_figures(const char *parser, const char *out, const char *err, const struct figure *f)
{
	struct fake_host *h = workload_new(parser, NULL);

	CU_ASSERT_EQUAL(parse(h, out, err), 0);
	CU_ASSERT_PTR_NULL(h->error);
	for (; f->name; f++)
		CU_ASSERT(same(value_of(h, f->name), f->value));
	fake_host_free(h);
}

static void expect_refusal(const char *parser, const char *out, const char *err, const char *error)
{
	struct fake_host *h = workload_new(parser, NULL);

	CU_ASSERT_EQUAL(parse(h, out, err), -EINVAL);
	CU_ASSERT(h->error && strstr(h->error, error));
	fake_host_free(h);
}

static void test_pgbench(void)
{
	expect_figures("pgbench",
		       "pgbench (15.5)\ntransaction type: <builtin: TPC-B (sort of)>\nscaling factor: 10\n"
		       "number of transactions actually processed: 4170\nnumber of failed transactions: 3 (0.072%)\n"
		       "latency average = 19.187 ms\nlatency stddev = 5.5 ms\ninitial connection time = 12.5 ms\n"
		       "tps = 416.944 (without initial connection time)\n",
		       "", (const struct figure[]){ { "tps", 416.944 }, { "latency_mean", 19187000 },
						    { "latency_stddev", 5500000 }, { "transactions", 4170 },
						    { "failed", 3 }, { "connection_time", 12500000 }, { NULL, 0 } });
	expect_figures("pgbench",
		       "number of transactions actually processed: 100/100\nlatency average: 1.5 ms\n"
		       "tps = 80.5 (including connections establishing)\ntps = 81.5 (excluding connections establishing)\n",
		       "", (const struct figure[]){ { "tps", 81.5 }, { "transactions", 100 }, { "failed", NAN },
						    { NULL, 0 } });
	expect_refusal("pgbench", "pgbench (15.5)\n", "", "the output has no tps");
}

static void test_time(void)
{
	expect_figures("time", "",
		       "\tCommand being timed: \"x\"\n\tUser time (seconds): 1.50\n\tSystem time (seconds): 0.25\n"
		       "\tElapsed (wall clock) time (h:mm:ss or m:ss): 1:02.50\n"
		       "\tMaximum resident set size (kbytes): 2048\n",
		       (const struct figure[]){ { "real", 62.5e9 }, { "user", 1.5e9 }, { "sys", 0.25e9 },
						{ "max_rss", 2097152 }, { NULL, 0 } });
	expect_figures("time", "", "real 2.50\nuser 0.10\nsys 0.05\n",
		       (const struct figure[]){ { "real", 2.5e9 }, { "sys", 0.05e9 }, { "max_rss", NAN }, { NULL, 0 } });
	expect_figures("time", "", "\nreal\t0m1.203s\nuser\t0m0.001s\nsys\t1m0.000s\n",
		       (const struct figure[]){ { "real", 1.203e9 }, { "sys", 60e9 }, { NULL, 0 } });
	expect_refusal("time", "real 2.5\n", "", "the output has no real");
}

#define ROW_10 "fs01,16G,73586,99,505013,61,27452,6,38169,51,55322,5,629.8,0,16:100000:16/64,7246,61,+++++,+++,"
#define LATENCIES "10us,20ms,3s,40us,50us,60us,70us,80us,90us,100us,110us,120us"

static void test_bonnie(void)
{
	expect_figures("bonnie", "Writing\n" ROW_10 "16773,95,7751,70,+++++,+++,10815,81\n", "",
		       (const struct figure[]){ { "putc", 73586 * 1024.0 }, { "write", 505013 * 1024.0 },
						{ "read", 55322 * 1024.0 }, { "seeks", 629.8 }, { "seq_create", 7246 },
						{ "seq_read", NAN }, { "seq_delete", 16773 }, { "ran_delete", 10815 },
						{ NULL, 0 } });
	expect_figures("bonnie",
		       "format_version,bonnie_version,name\n"
		       "1.98,2.00a,box,1,1700000000,2G,,8192,5,309,58,407498,33,398155,30,252,46,1186520,99,+++++,+++,16,"
		       "100000,16,,64,5968,10,20121,30,30853,40,6215,50,24128,60,23075,70," LATENCIES "\n",
		       "", (const struct figure[]){ { "putc", 309 * 1024.0 }, { "read", 1186520 * 1024.0 },
						    { "seeks", NAN }, { "seq_create", 5968 }, { "ran_delete", 23075 },
						    { "putc_latency", 10e3 }, { "write_latency", 20e6 },
						    { "rewrite_latency", 3e9 }, { "ran_delete_latency", 120e3 },
						    { NULL, 0 } });
	expect_figures("bonnie",
		       "1.97,1.97,box,1,1700000000,2G,,309,58,407498,33,398155,30,252,46,1186520,99,5.5,1,16,"
		       "100000,16,,64,5968,10,20121,30,30853,40,6215,50,24128,60,,," LATENCIES "\n",
		       "", (const struct figure[]){ { "putc", 309 * 1024.0 }, { "seeks", 5.5 }, { "seq_create", 5968 },
						    { "ran_delete", NAN }, { "putc_latency", 10e3 }, { NULL, 0 } });
	expect_refusal("bonnie", "x,", "", "no line for machines");
	expect_refusal("bonnie", ROW_10 "16773,95,7751,70,+++++,+++,10815\n", "", "format 1.0x has 26 fields, not 27");
	expect_refusal("bonnie",
		       "1.97,1.97,my,box,1,1700000000,2G,,309,58,407498,33,398155,30,252,46,1186520,99,5.5,1,16,"
		       "100000,16,,64,5968,10,20121,30,30853,40,6215,50,24128,60,1,1," LATENCIES "\n",
		       "", "49 fields, not 48: is there a comma");
	expect_refusal("bonnie", ROW_10 "16773,95,7751,70,+++++,+++,10815,81\n" ROW_10 "16773,95,7751,70,1,1,10815,81\n", "",
		       "2 results");
	expect_refusal("bonnie", ROW_10 "16 773,95,7751,70,+++++,+++,10815,81\n", "", "seq_delete is \"16 773\"");
}

#define FIO_V3_JOB(error, iops)                                                                                     \
	"{\"jobname\": \"j\", \"error\": " error ", \"read\": {\"io_bytes\": 4096000, \"bw_bytes\": 4096000, "       \
	"\"bw\": 4000, \"iops\": " iops ", \"runtime\": 1000, \"total_ios\": 1000, "                                 \
	"\"lat_ns\": {\"mean\": 2000, \"max\": 9000, \"N\": 1000}, "                                                 \
	"\"clat_ns\": {\"percentile\": {\"50.000000\": 1500, \"99.000000\": 5000}}}, "                              \
	"\"write\": {\"io_bytes\": 0, \"bw_bytes\": 0, \"bw\": 0, \"iops\": 0, \"runtime\": 0, \"total_ios\": 0}}"

static void test_fio(void)
{
	expect_figures("fio", "{\n\"fio version\": \"fio-3.33\", \"jobs\": [" FIO_V3_JOB("0", "1000") "]}\n", "",
		       (const struct figure[]){ { "read_throughput", 4096000 }, { "read_rate", 1000 },
						{ "read_mean", 2000 }, { "read_max", 9000 }, { "read_clat_p50", 1500 },
						{ "read_clat_p99", 5000 }, { "read_clat_p999", NAN },
						{ "write_throughput", NAN }, { "trim_rate", NAN }, { NULL, 0 } });
	/* Two jobs: rates add up, percentiles do not. */
	expect_figures("fio", "{\n\"jobs\": [" FIO_V3_JOB("0", "1000") ", " FIO_V3_JOB("0", "1000") "]}\n", "",
		       (const struct figure[]){ { "read_throughput", 8192000 }, { "read_rate", 2000 },
						{ "read_mean", 2000 }, { "read_clat_p50", NAN }, { NULL, 0 } });
	/* The same by version 2: KiB and us. */
	expect_figures("fio",
		       "{\n\"fio version\": \"fio-2.2.10\", \"jobs\": [{\"jobname\": \"j\", \"error\": 0, \"read\": {"
		       "\"io_bytes\": 4000, \"bw\": 4000, \"iops\": 1000.0, \"runtime\": 1000, \"total_ios\": 1000, "
		       "\"lat\": {\"mean\": 2.0, \"max\": 9}, \"clat\": {\"percentile\": {\"50.000000\": 1.5}}}}]}\n",
		       "", (const struct figure[]){ { "read_throughput", 4096000 }, { "read_rate", 1000 },
						    { "read_mean", 2000 }, { "read_max", 9000 },
						    { "read_clat_p50", 1500 }, { NULL, 0 } });
	expect_refusal("fio", "{\n\"jobs\": [" FIO_V3_JOB("28", "1000") "]}\n", "",
		       "fio: job j: error 28 (No space left on device)");
	expect_refusal("fio", "fio: io_u error on file x: No space left\n{\n\"jobs\": [" FIO_V3_JOB("28", "1") "]}\n", "",
		       "No space left on device): fio: io_u error on file x");
	expect_refusal("fio", "fio: io_u error on file x\n{\n\"jobs\": [" FIO_V3_JOB("0", "1") "]}\n", "",
		       "fio: fio: io_u error on file x");
	expect_refusal("fio", "bad option\n", "fio: job failed\n", "no JSON document in the output");
	expect_refusal("fio", "{\n\"jobs\": [", "", "broken in line");
	expect_refusal("fio", "{\n\"jobs\": []}", "", "has no jobs");
	expect_refusal("fio",
		       "{\n\"jobs\": [{\"jobname\": \"j\", \"read\": {\"io_bytes\": 4096000, \"bw_bytes\": 4000, \"iops\": 1, "
		       "\"runtime\": 1000, \"total_ios\": 1000}}]}",
		       "", "one is in other units");
}

/* A note in front of the document is told, and no failure. */
static void test_fio_note(void)
{
	struct fake_host *h = workload_new("fio", NULL);

	CU_ASSERT_EQUAL(parse(h, "note: both iodepth >= 1 and synchronous I/O engine are selected\n{\n\"jobs\": ["
				 FIO_V3_JOB("0", "1000") "]}\n", ""), 0);
	CU_ASSERT_EQUAL_FATAL(h->warnings.n, 1);
	CU_ASSERT_STRING_EQUAL(h->warnings.v[0].value,
			       "fio: note: both iodepth >= 1 and synchronous I/O engine are selected");
	fake_host_free(h);
}

void test_plugin_exec_workload(void)
{
	CU_pSuite s = CU_add_suite("plugin exec (workload)", NULL, NULL);

	CU_add_test(s, "rules", test_rules);
	CU_add_test(s, "rule errors", test_rule_errors);
	CU_add_test(s, "primary", test_primary);
	CU_add_test(s, "pgbench", test_pgbench);
	CU_add_test(s, "time", test_time);
	CU_add_test(s, "bonnie++", test_bonnie);
	CU_add_test(s, "fio", test_fio);
	CU_add_test(s, "fio, a note in front", test_fio_note);
}
