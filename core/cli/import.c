/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fstrial import */
#include "core/import/import.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/cli/command.h"
#include "core/cli/format.h"
#include "core/util/exit.h"
#include "core/util/file.h"
#include "core/util/json.h"
#include "core/util/log.h"
#include "core/util/str.h"
#include "core/util/strbuf.h"
#include "core/util/xalloc.h"

struct import_args {
	int from;
	struct arg_list factors, metrics;
	const char *label_regex, *labels, *name, *elapsed, *out;
	bool whole, check_elapsed, strict, quiet;
};

#define IMPORT_AT(member) offsetof(struct import_args, member)

static const struct arg import_args_table[] = {
	{ "from", "FORMAT", "What the files are, where it cannot be seen from what is in them.",
	  ARG_CHOICE, IMPORT_AT(from), import_format_names },
	{ "out", "FILE|DIR",
	  "Where the result document goes; into a directory as result.json. Else standard output.",
	  ARG_TEXT, IMPORT_AT(out), NULL },
	{ "factors", "NAME,...",
	  "What was varied: columns of a CSV, options of fio, or what the parts of a label are "
	  "called.",
	  ARG_LIST, IMPORT_AT(factors), NULL },
	{ "metric", "COLUMN=UNIT:BETTER",
	  "A column of a CSV that is a figure, as write_kps=KiB/s:higher or '*_kps=KiB/s'. BETTER "
	  "is higher, lower or "
	  "neutral, and :secondary behind it keeps the figure out of verdicts.",
	  ARG_LIST, IMPORT_AT(metrics), NULL },
	{ "elapsed", "COLUMN", "A column of a CSV that says how long the row took.", ARG_TEXT,
	  IMPORT_AT(elapsed), NULL },
	{ "label-regex", "REGEX",
	  "Extended regular expression that takes factors out of machine or file names: its "
	  "groups, in the order of "
	  "--factors.",
	  ARG_TEXT, IMPORT_AT(label_regex), NULL },
	{ "labels", "NAME,...",
	  "What the rows are, in their order, where all have the same machine name.", ARG_TEXT,
	  IMPORT_AT(labels), NULL },
	{ "whole", NULL,
	  "Keep factors that are lists of options (\"-l size=128m -i attr=2\") in one piece.",
	  ARG_FLAG, IMPORT_AT(whole), NULL },
	{ "name", "NAME", "What the job is called in the document; else as the first file is.",
	  ARG_TEXT, IMPORT_AT(name), NULL },
	{ "check-elapsed", NULL, "Hold the figures against how long the rows say they took.",
	  ARG_FLAG, IMPORT_AT(check_elapsed), NULL },
	{ "strict", NULL, "Exit with 1 where anything was to be warned of.", ARG_FLAG,
	  IMPORT_AT(strict), NULL },
	{ "quiet", NULL, "Do not say notes, only warnings and what was refused.", ARG_FLAG,
	  IMPORT_AT(quiet), NULL },
};

/* ---- options ---- */

static char **import_names(const struct arg_list *list)
{
	_cleanup_strbuf_ struct strbuf all = STRBUF_INIT;

	for (size_t i = 0; i < list->n; i++)
		strbuf_addf(&all, "%s,", list->v[i]);
	return list->n ? str_split(strbuf_str(&all), ",", NULL) : NULL;
}

static int import_rules(const struct import_args *a, struct import_options *opt)
{
	int r = 0;

	opt->rules = xcalloc(a->metrics.n + 1, sizeof(*opt->rules));
	for (size_t i = 0; i < a->metrics.n; i++) {
		struct err e = { 0 };

		if (import_parse_rule(a->metrics.v[i], &opt->rules[opt->n_rules], &e) < 0) {
			log_error("--metric %s: %s", a->metrics.v[i], e.text);
			r = -EINVAL;
		} else {
			opt->n_rules++;
		}
	}
	return r;
}

static int import_regex(const char *text, regex_t *re)
{
	char why[200];
	int r = regcomp(re, text, REG_EXTENDED);

	if (r) {
		regerror(r, re, why, sizeof(why));
		log_error("--label-regex %s: %s", text, why);
		return -EINVAL;
	}
	if (!re->re_nsub) {
		log_error("--label-regex %s: it has no group: parentheses around what tells "
			  "variants apart",
			  text);
		regfree(re);
		return -EINVAL;
	}
	return 0;
}

/* ---- what comes out ---- */

static void import_say(const struct import_report *report, bool quiet)
{
	const struct import_counts *c = &report->counts;

	for (size_t i = 0; i < report->n; i++) {
		if (!quiet || report->findings[i].severity != IMPORT_NOTE)
			fprintf(stderr, "%s\n", report->findings[i].text);
	}
	fprintf(stderr,
		"%zu row%s: %zu plain, %zu joined, %zu damaged, %zu cop%s; %zu refused; %zu "
		"variant%s\n",
		c->rows, c->rows == 1 ? "" : "s", c->plain, c->joined, c->damaged, c->copies,
		c->copies == 1 ? "y" : "ies", c->refused, c->variants, c->variants == 1 ? "" : "s");
}

static int import_write(const char *out, const json_t *doc)
{
	_cleanup_free_ char *text = NULL, *path = NULL;
	struct err e = { 0 };
	struct stat st;
	size_t len = 0;
	FILE *mem = open_memstream(&text, &len);
	int r = 0;

	if (!mem)
		return -ENOMEM;
	js_print(doc, mem);
	fclose(mem);
	path = xstrdup(out);
	if (str_ends(out, "/") || (stat(out, &st) == 0 && S_ISDIR(st.st_mode))) {
		free(path);
		path = xasprintf("%s/result.json", out);
		r = dir_make(out, 0777, &e);
	}
	if (r == 0)
		r = file_write_atomic(path, text, len, &e);
	if (r < 0)
		log_error("%s", e.text);
	return r;
}

static int import_exit(const struct import_report *report, const struct import_args *a)
{
	if (report->counts.refused)
		return EXIT_USAGE;
	return a->strict && report->counts.warnings ? EXIT_FAILED : EXIT_GOOD;
}

static int import_do(const struct arg_list *files, const struct import_args *a,
		     const struct import_options *opt)
{
	struct import_report report;
	json_t *doc;
	int code;

	import_files(files->v, files->n, opt, &doc, &report);
	import_say(&report, a->quiet);
	code = import_exit(&report, a);
	if (doc && a->out && import_write(a->out, doc) < 0)
		code = EXIT_USAGE;
	else if (doc && !a->out)
		js_print(doc, stdout);
	json_decref(doc);
	import_release(&report);
	return code;
}

static int import_run(int argc, char **argv)
{
	struct import_args a = { 0 };
	struct import_options opt = { 0 };
	struct arg_list operands;
	regex_t re;
	bool with_re = false;
	int code = command_args(&command_import, argc, argv, &a, &operands);

	if (code < 0) {
		opt.from = (enum import_format)a.from;
		opt.factors = import_names(&a.factors);
		opt.labels = a.labels ? str_split(a.labels, ",", NULL) : NULL;
		opt.name = a.name;
		opt.elapsed = a.elapsed;
		opt.whole = a.whole;
		opt.check_elapsed = a.check_elapsed;
		with_re = a.label_regex && import_regex(a.label_regex, &re) == 0;
		opt.label_regex = with_re ? &re : NULL;
		if (import_rules(&a, &opt) < 0 || (a.label_regex && !with_re))
			code = EXIT_USAGE;
		else
			code = import_do(&operands, &a, &opt);
	}
	for (size_t i = 0; i < opt.n_rules; i++)
		import_free_rule(&opt.rules[i]);
	free(opt.rules);
	str_freev(opt.factors);
	str_freev(opt.labels);
	if (with_re)
		regfree(&re);
	args_free_list(&a.factors);
	args_free_list(&a.metrics);
	args_free_list(&operands);
	return code;
}

const struct command command_import = {
	.name = "import",
	.usage = "FILE... [options]",
	.summary = "make a result of what other tools measured",
	.help = "Reads rows of bonnie++ (1.0x, 1.97, 1.98 and 2.00) and the tables of bonnie and "
		"bonnie++, JSON of fio (2 and "
		"3), or any CSV that begins with the names of its columns, and writes one result "
		"document that show, effects "
		"and compare take. Rows of the same machine (of a file, for fio) are repeats of "
		"one variant.\n\n"
		"Each row is a trial. What the file does not say is null in the document. Rows "
		"that are broken over two lines "
		"are joined; what has run together is left out and flagged; \"+++++\" is kept as a "
		"lower bound; a copy of another "
		"row is not counted as a measurement; times such as 12:40.55 become seconds. "
		"Everything that was found goes to "
		"standard error as FILE:LINE: TEXT.\n\n"
		"  fstrial import --out old.json raid6.csv\n"
		"  fstrial import --out old.json --factors mkfs,mount --metric '*_kps=KiB/s' "
		"--metric '*_ps=/s' table.csv\n"
		"  fstrial import --out old.json --factors bs,iodepth runs/*.json\n\n"
		"Exit codes: 0 all taken; 1 --strict and something to be warned of; 2 a file or a "
		"row was refused (the document "
		"holds the others).",
	.args = ARG_TABLE(import_args_table),
	.min_operands = 1,
	.run = import_run,
};
