/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A result document for people: what ran where, the numbers, what went wrong. */
#include "core/report/show.h"

#include <inttypes.h>
#include <stdlib.h>

#include "core/report/expectations.h"
#include "core/report/findings.h"
#include "core/report/quote.h"
#include "core/util/text.h"
#include "core/report/values.h"
#include "core/util/json.h"
#include "core/util/str.h"
#include "core/util/strbuf.h"
#include "core/util/units.h"
#include "core/util/xalloc.h"

#define SHOW_WIDTH 100
#define SHOW_LABEL 12 /* columns that "session" and so on take */

static void _printf_(3, 4) show_line(struct strbuf *out, const char *label, const char *fmt, ...)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT, clean = STRBUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	strbuf_addvf(&text, fmt, ap);
	va_end(ap);
	if (!text.len)
		return;
	text_add_clean(&clean, strbuf_str(&text));
	strbuf_addf(out, "%-*s", SHOW_LABEL, label);
	text_wrap(out, strbuf_str(&clean), SHOW_LABEL, SHOW_LABEL, SHOW_WIDTH);
}

/* ---- header ---- */

static void show_job(const json_t *job, struct strbuf *out)
{
	const char *description = js_get_str(job, "description", "");

	show_line(out, "job", "%s%s%s", js_get_str(job, "name", "?"), *description ? ": " : "",
		  description);
}

/* "18 ok, 2 failed" */
static void show_counts(const json_t *trials, struct strbuf *out)
{
	static const char *const statuses[] = { "ok", "failed", "skipped", "interrupted",
						"not run" };
	size_t n[ARRAY_SIZE(statuses)] = { 0 }, i;
	json_t *trial;

	json_array_foreach(trials, i, trial)
	{
		for (size_t k = 0; k < ARRAY_SIZE(statuses); k++)
			n[k] += str_eq(js_get_str(trial, "status", ""), statuses[k]);
	}
	for (size_t k = 0; k < ARRAY_SIZE(statuses); k++) {
		if (n[k])
			strbuf_addf(out, "%s%zu %s", out->len ? ", " : "", n[k], statuses[k]);
	}
}

static const char *show_incomplete(const char *status)
{
	if (str_eq(status, "interrupted"))
		return "INTERRUPTED: the numbers are of the trials that had ended by then";
	if (str_eq(status, "partial"))
		return "PARTIAL: the session did not end by itself; the numbers are of the trials "
		       "that "
		       "had ended";
	if (str_eq(status, "stopped"))
		return "STOPPED: something could not be undone, later trials were not started";
	return str_eq(status, "complete") ? "" : status;
}

/* "bonnie++ 1.03e from raid6.csv (bonnie, 41 rows)" */
static void show_imported(const json_t *imported, struct strbuf *out)
{
	json_t *source, *tool;
	size_t i, k;

	json_array_foreach(json_object_get(imported, "sources"), i, source)
	{
		_cleanup_strbuf_ struct strbuf tools = STRBUF_INIT;
		uint64_t rows = js_get_u64(source, "rows", 0);

		json_array_foreach(json_object_get(source, "tools"), k, tool)
		{
			strbuf_addf(&tools, "%s%s", k ? ", " : "",
				    json_is_string(tool) ? json_string_value(tool) : "?");
		}
		show_line(out, i ? "" : "imported", "%s from %s, %" PRIu64 " row%s",
			  strbuf_str(&tools), js_get_str(source, "file", "?"), rows,
			  rows == 1 ? "" : "s");
	}
}

/* With --until: how often each variant was repeated, and how many of them became as precise as asked. */
static void show_until(const json_t *doc, struct strbuf *out)
{
	const json_t *until = json_object_get(json_object_get(doc, "session"), "until");
	const json_t *variants = json_object_get(until, "variants");
	uint64_t fewest = UINT64_MAX, most = 0;
	size_t i, precise = 0, n = json_array_size(variants);
	json_t *v;

	json_array_foreach(variants, i, v)
	{
		uint64_t repeats = js_get_u64(v, "repeats", 0);

		precise += str_eq(js_get_str(v, "stop_reason", ""), "half-width");
		fewest = MIN(fewest, repeats);
		most = MAX(most, repeats);
	}
	if (n && fewest == most)
		show_line(out, "until", "%s: %zu of %zu variant%s precise, after %" PRIu64 " repeats",
			  js_get_str(until, "rule", "?"), precise, n, n == 1 ? "" : "s", most);
	else if (n)
		show_line(out, "until", "%s: %zu of %zu variants precise, after %" PRIu64 " to %" PRIu64 " repeats",
			  js_get_str(until, "rule", "?"), precise, n, fewest, most);
}

static void show_session(const json_t *doc, struct strbuf *out)
{
	const json_t *session = json_object_get(doc, "session"),
		     *trials = json_object_get(doc, "trials");
	uint64_t variants = json_array_size(json_object_get(doc, "variants"));
	/* With --until there is no number of trials that was to be. */
	uint64_t repeats = json_is_object(json_object_get(session, "until")) ? 0 : js_get_u64(session, "repeats", 0);
	const char *status = js_get_str(session, "status", "?"),
		   *ended = js_get_str(session, "ended", NULL);
	_cleanup_strbuf_ struct strbuf counts = STRBUF_INIT, expected = STRBUF_INIT;

	if (json_object_get(doc, "imported"))
		show_imported(json_object_get(doc, "imported"), out);
	else
		show_line(out, "session", "%s, %s%s%s", js_get_str(session, "id", "?"),
			  js_get_str(session, "started", "?"), ended ? " to " : "",
			  ended ? ended : "");
	show_counts(trials, &counts);
	if (repeats)
		show_line(out, "trials",
			  "%zu of %" PRIu64 " (%" PRIu64 " variant%s, %" PRIu64 " repeat%s)%s%s",
			  json_array_size(trials), variants * repeats, variants,
			  variants == 1 ? "" : "s", repeats, repeats == 1 ? "" : "s",
			  counts.len ? ": " : "", strbuf_str(&counts));
	else
		show_line(out, "trials", "%zu: %s", json_array_size(trials), strbuf_str(&counts));
	show_until(doc, out);
	expectations_count(doc, &expected);
	show_line(out, "expected", "%s", strbuf_str(&expected));
	show_line(out, "status", "%s", status);
	if (*show_incomplete(status) && !str_eq(show_incomplete(status), status))
		show_line(out, "", "%s", show_incomplete(status));
}

static void show_machine(const json_t *env, struct strbuf *out)
{
	const json_t *kernel = json_object_get(env, "kernel"), *cpu = json_object_get(env, "cpu");
	uint64_t memory = js_get_u64(env, "memory_bytes", 0), online = js_get_u64(cpu, "online", 0);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	char size[40];

	strbuf_addf(&text, "%s %s", js_get_str(kernel, "release", "?"),
		    js_get_str(kernel, "arch", ""));
	if (online)
		strbuf_addf(&text, ", %llu CPU%s", (unsigned long long)online,
			    online == 1 ? "" : "s");
	if (memory)
		strbuf_addf(&text, ", %s RAM",
			    units_format_metric((double)memory, "bytes", size, sizeof(size)));
	show_line(out, "kernel", "%s", strbuf_str(&text));
}

static void show_target(const json_t *doc, struct strbuf *out)
{
	const json_t *target = json_object_get(json_object_get(doc, "session"), "target");
	const json_t *device = json_object_get(json_object_get(doc, "environment"), "device");
	const char *path = js_get_str(target, "device", NULL),
		   *model = js_get_str(device, "model", NULL);
	const char *directory = js_get_str(target, "directory", NULL);
	uint64_t bytes = js_get_u64(target, "size_bytes", 0);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	char size[40];

	strbuf_addstr(&text, js_get_str(target, "kind", "?"));
	if (directory)
		strbuf_addf(&text, " %s", directory);
	if (path)
		strbuf_addf(&text, " %s", path);
	if (bytes)
		strbuf_addf(&text, ", %s",
			    units_format_metric((double)bytes, "bytes", size, sizeof(size)));
	if (model)
		strbuf_addf(&text, ", %s", model);
	if (json_is_true(json_object_get(device, "rotational")))
		strbuf_addstr(&text, ", rotating");
	show_line(out, "target", "%s", strbuf_str(&text));
}

/* Types of the file systems of all trials, and the options that they were mounted with. */
static void show_filesystem(const json_t *doc, struct strbuf *out)
{
	_cleanup_json_ json_t *seen = js_object();
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	json_t *trial;
	size_t i, others = 0;

	json_array_foreach(json_object_get(doc, "trials"), i, trial)
	{
		const json_t *fs = json_object_get(trial, "filesystem");
		const char *type = js_get_str(fs, "type", NULL);
		_cleanup_free_ char *key = NULL;

		if (!type)
			continue;
		key = xasprintf("%s (%s)", type,
				js_get_str(json_object_get(fs, "mount"), "options", "not mounted"));
		if (json_object_get(seen, key))
			continue;
		js_set(seen, key, js_bool(1));
		if (json_object_size(seen) <= 3)
			strbuf_addf(&text, "%s%s", text.len ? "; " : "", key);
		else
			others++;
	}
	if (others)
		strbuf_addf(&text, "; %zu other combinations", others);
	show_line(out, "file system", "%s", strbuf_str(&text));
}

static void show_head(const json_t *doc, struct strbuf *out)
{
	show_job(json_object_get(doc, "job"), out);
	show_session(doc, out);
	/* Nobody has written down where another tool's numbers were measured. */
	if (json_object_get(doc, "imported"))
		return;
	show_machine(json_object_get(doc, "environment"), out);
	show_target(doc, out);
	show_filesystem(doc, out);
}

/* As it stands, between fences in Markdown. */
static void show_part(const struct strbuf *part, bool markdown, struct strbuf *out)
{
	if (markdown)
		quote_fenced(strbuf_str(part), out);
	else
		strbuf_add(out, part->buf, part->len);
}

void show_result(const json_t *doc, const struct show_options *opt, FILE *out)
{
	_cleanup_strbuf_ struct strbuf head = STRBUF_INIT, findings = STRBUF_INIT,
				       text = STRBUF_INIT;
	const struct values_options values = {
		.all = opt->all,
		.summary = opt->summary || json_object_get(doc, "imported"),
		.markdown = opt->markdown,
		.width = SHOW_WIDTH,
	};

	show_head(doc, &head);
	show_part(&head, opt->markdown, &text);
	strbuf_addch(&text, '\n');
	values_format(doc, &values, &text);
	findings_format(doc, opt->all, SHOW_WIDTH, &findings);
	if (findings.len && opt->markdown)
		strbuf_addch(&text, '\n');
	show_part(&findings, opt->markdown, &text);
	fwrite(strbuf_str(&text), 1, text.len, out);
}
