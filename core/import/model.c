/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows and findings of an import. */
#include "core/import/model.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/util/json.h"
#include "core/util/str.h"
#include "core/util/xalloc.h"

void import_find(struct import *im, enum import_severity severity, size_t source, unsigned line,
		 const char *fmt, ...)
{
	static const char *const words[] = { "note: ", "", "refused: " };
	const char *path = im->sources.v[source].path;
	_cleanup_free_ char *text = NULL;
	struct import_finding f = { severity, source, line, NULL };
	va_list ap;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	if (line)
		f.text = xasprintf("%s:%u: %s%s", path, line, words[severity], text);
	else
		f.text = xasprintf("%s: %s%s", path, words[severity], text);
	vec_push(&im->findings, f);
	im->counts.refused += severity == IMPORT_REFUSED;
	im->counts.warnings += severity == IMPORT_WARNING;
}

void import_warn(struct import *im, struct import_row *row, const char *fmt, ...)
{
	_cleanup_free_ char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	import_find(im, IMPORT_WARNING, row->source, row->line, "%s", text);
	js_push(row->warnings, js_str(text));
}

struct import_row *import_row(struct import *im, size_t source, unsigned line, const char *label)
{
	struct import_row row = {
		.source = source,
		.line = line,
		.label = xstrdup(label),
		.steps = js_array(),
		.warnings = js_array(),
		.elapsed_s = NAN,
		.expected_s = NAN,
		.copy_of = SIZE_MAX,
	};

	vec_push(&im->rows, row);
	im->sources.v[source].rows++;
	return &im->rows.v[im->rows.n - 1];
}

void import_free_row(struct import_row *row)
{
	free(row->label);
	free(row->reason);
	free(row->started);
	json_decref(row->cells);
	json_decref(row->values);
	json_decref(row->steps);
	json_decref(row->warnings);
	strbuf_free(&row->figures);
}

void import_say_tool(struct import_source *s, const char *tool, const char *version)
{
	_cleanup_free_ char *text = xasprintf("%s%s%s", tool, version ? " " : "",
					      version ? version : "");
	json_t *known;
	size_t i;

	json_array_foreach(s->tools, i, known)
	{
		if (str_eq(json_string_value(known), text))
			return;
	}
	js_push(s->tools, js_str(text));
}

/* ---- steps ---- */

/* What the document's steps have besides, and no other tool's output says. */
static void step_unknown(json_t *step)
{
	static const char *const nulls[] = { "parallel",   "reason", "errno",	 "started_ns",
					     "elapsed_ns", "series", "measured", "engine",
					     "data",	   "cpu" };
	static const char *const objects[] = { "asked", "in_force", "notes", "metrics", "latency" };

	for (size_t i = 0; i < ARRAY_SIZE(nulls); i++)
		js_set(step, nulls[i], json_null());
	for (size_t i = 0; i < ARRAY_SIZE(objects); i++)
		js_set(step, objects[i], js_object());
	js_set(step, "warnings", js_array());
	js_set(step, "expect", js_array());
}

json_t *import_step(struct import_row *row, const char *name, const char *plugin, json_t *params)
{
	json_t *step = js_object();

	js_set(step, "name", js_str(*name ? name : "?"));
	js_set(step, "kind", js_str("workload"));
	js_set(step, "plugin", js_str(plugin));
	js_set(step, "status", js_str("ok"));
	js_set(step, "params", params);
	step_unknown(step);
	js_push(row->steps, step);
	return step;
}

void import_metric(struct import_row *row, json_t *step, const char *name,
		   const struct import_figure *f)
{
	json_t *m = js_object(), *source = js_object();

	js_set(m, "value", js_real(f->value));
	js_set(m, "unit", js_str(f->unit));
	js_set(m, "better", js_str(f->better));
	js_set(m, "primary", js_bool(f->primary));
	js_set(source, "text", js_str(f->text));
	js_set(source, "unit", js_str(f->source_unit));
	js_set(source, "note", js_str(f->note));
	js_set(source, "at_least", js_real(f->at_least));
	js_set(m, "source", source);
	js_set(json_object_get(step, "metrics"), name, m);
	if (f->text)
		strbuf_addf(&row->figures, "%s.%s=%s\n", js_get_str(step, "name", ""), name,
			    f->text);
}

void import_step_warn(json_t *step, const char *text)
{
	js_push(json_object_get(step, "warnings"), js_str(text));
}

/* ---- lines ---- */

void import_split_lines(const struct import_source *s, struct import_lines *lines)
{
	VEC(char *) v = VEC_INIT;
	char *at;

	lines->text = xmemdup(s->text, s->len + 1);
	at = lines->text;
	while (*at) {
		size_t n = strcspn(at, "\r\n");
		bool crlf = at[n] == '\r' && at[n + 1] == '\n', more = at[n];

		vec_push(&v, at);
		at[n] = '\0';
		at += n + crlf + more;
	}
	lines->v = v.v;
	lines->n = v.n;
}

void import_free_lines(struct import_lines *lines)
{
	free(lines->v);
	free(lines->text);
}

unsigned import_line_of(const char *text, size_t offset)
{
	unsigned line = 1;

	for (const char *at = text; at < text + offset && *at; at++)
		line += *at == '\n';
	return line;
}
