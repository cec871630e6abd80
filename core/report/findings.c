/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What went wrong in the trials of a result document, folded. */
#include "core/report/findings.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/report/expectations.h"
#include "core/report/findings_private.h"
#include "core/util/text.h"
#include "core/util/json.h"
#include "core/util/str.h"
#include "core/util/vec.h"

enum {
	SECTION_FAILED,
	SECTION_INTERRUPTED,
	SECTION_SKIPPED,
	SECTION_EXPECTATIONS,
	SECTION_WARNINGS,
	N_SECTIONS
};

static const char *const section_titles[N_SECTIONS] = { "failed", "interrupted", "skipped",
							"expectations", "warnings" };

/* ---- gathering ---- */

/*
 * What makes two findings of one variant the same: the text without its numbers, so that
 * "took 1.2 s" and "took 1.3 s" are one.
 */
static void section_key(const struct section *s, const char *text, int64_t variant,
			struct strbuf *key)
{
	strbuf_addf(key, "%lld ", (long long)variant);
	while (*text) {
		size_t n = s->exact ? 0 : strspn(text, "0123456789.");

		strbuf_addch(key, n ? '#' : *text);
		text += n ? n : 1;
	}
}

static void section_add(struct section *s, const char *text, struct finding_place at)
{
	_cleanup_strbuf_ struct strbuf key = STRBUF_INIT;
	const struct finding_place *last;
	struct finding *f;
	json_t *known;

	section_key(s, text, at.variant, &key);
	known = json_object_get(s->index, strbuf_str(&key));
	if (!known) {
		struct finding new = { xstrdup(text), false, VEC_INIT };

		known = js_u64(s->n);
		js_set(s->index, strbuf_str(&key), known);
		vec_push(s, new);
	}
	f = &s->v[json_integer_value(known)];
	f->varies = f->varies || !str_eq(f->text, text);
	last = f->at.n ? &f->at.v[f->at.n - 1] : NULL;
	if (!last || last->variant != at.variant || last->repeat != at.repeat)
		vec_push(&f->at, at);
}

static void _printf_(3, 4)
	section_addf(struct section *s, struct finding_place at, const char *fmt, ...)
{
	struct strbuf text = STRBUF_INIT, clean = STRBUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	strbuf_addvf(&text, fmt, ap);
	va_end(ap);
	text_add_clean(&clean, strbuf_str(&text));
	section_add(s, strbuf_str(&clean), at);
	strbuf_free(&text);
	strbuf_free(&clean);
}

static int section_of_status(const char *status)
{
	for (int i = SECTION_FAILED; i <= SECTION_SKIPPED; i++) {
		if (str_eq(status, section_titles[i]))
			return i;
	}
	return -1;
}

static const char *asked_text(const json_t *asked)
{
	return json_is_object(asked) ? js_get_str(asked, "value", NULL) : json_string_value(asked);
}

/* What is in force and was not asked for, unless a warning of the step says it already. */
static void findings_differences(const json_t *step, struct section *s, struct finding_place at)
{
	json_t *asked = json_object_get(step, "asked"),
	       *in_force = json_object_get(step, "in_force");
	json_t *warnings = json_object_get(step, "warnings"), *value, *w;
	const char *key;
	size_t i;

	json_object_foreach(asked, key, value)
	{
		const char *a = asked_text(value);
		const char *b = json_string_value(json_object_get(in_force, key));
		bool said = false;

		if (!a || !b || str_eq(a, b))
			continue;
		json_array_foreach(warnings, i, w)
		{
			const char *text = json_string_value(w);

			said = said ||
			       (text && strstr(text, key) && strstr(text, a) && strstr(text, b));
		}
		if (!said)
			section_addf(s, at, "%s: %s: asked %s, in force %s",
				     js_get_str(step, "name", "?"), key, a, b);
	}
}

static void findings_step(const json_t *step, struct section *sections, struct finding_place at)
{
	const char *name = js_get_str(step, "name", "?"), *status = js_get_str(step, "status", "");
	int section = section_of_status(status);
	json_t *w;
	size_t i;

	if (section >= 0)
		section_addf(&sections[section], at, "%s: %s", name,
			     js_get_str(step, "reason", js_get_str(step, "errno", status)));
	json_array_foreach(json_object_get(step, "warnings"), i, w)
	{
		if (json_is_string(w))
			section_addf(&sections[SECTION_WARNINGS], at, "%s: %s", name,
				     json_string_value(w));
	}
	findings_differences(step, &sections[SECTION_WARNINGS], at);
}

static void findings_trial(const json_t *trial, const json_t *numbers, struct section *sections)
{
	const char *status = js_get_str(trial, "status", "");
	const json_t *number = json_object_get(numbers, js_get_str(trial, "variant", ""));
	struct finding_place at = {
		number ? json_integer_value(number) : FINDING_SESSION,
		(uint32_t)js_get_u64(trial, "repeat", 0),
	};
	bool explained = false;
	int section = section_of_status(status);
	json_t *step, *w;
	size_t i;

	json_array_foreach(json_object_get(trial, "warnings"), i, w)
	{
		if (json_is_string(w))
			section_addf(&sections[SECTION_WARNINGS], at, "%s", json_string_value(w));
	}
	json_array_foreach(json_object_get(trial, "steps"), i, step)
	{
		explained = explained || str_eq(js_get_str(step, "status", ""), status);
		findings_step(step, sections, at);
	}
	if (section >= 0 && !explained)
		section_addf(&sections[section], at, "%s", js_get_str(trial, "reason", status));
}

/* Folded over repeats already; each text stands for itself. */
static void findings_expectations(const json_t *doc, const json_t *numbers, struct section *s)
{
	_cleanup_json_ json_t *unmet = expectations_unmet(doc);
	json_t *o, *repeat;
	size_t i, k;

	json_array_foreach(unmet, i, o)
	{
		const json_t *number = json_object_get(numbers, js_get_str(o, "variant", ""));

		json_array_foreach(json_object_get(o, "repeats"), k, repeat)
		{
			struct finding_place at = {
				number ? json_integer_value(number) : FINDING_SESSION,
				(uint32_t)json_integer_value(repeat),
			};

			section_addf(s, at, "%s", js_get_str(o, "text", ""));
		}
	}
}

static void findings_gather(const json_t *doc, struct section *sections)
{
	const struct finding_place once = { FINDING_ONCE, 0 }, session = { FINDING_SESSION, 0 };
	_cleanup_json_ json_t *numbers = js_object();
	json_t *v;
	size_t i;

	json_array_foreach(json_object_get(doc, "variants"), i, v)
	{
		js_set(numbers, js_get_str(v, "id", ""), js_u64(i));
	}
	json_array_foreach(json_object_get(json_object_get(doc, "session"), "once"), i, v)
	{
		findings_step(v, sections, once);
	}
	json_array_foreach(json_object_get(doc, "trials"), i, v)
	{
		findings_trial(v, numbers, sections);
	}
	findings_expectations(doc, numbers, &sections[SECTION_EXPECTATIONS]);
	json_array_foreach(json_object_get(json_object_get(doc, "environment"), "warnings"), i, v)
	{
		if (json_is_string(v))
			section_addf(&sections[SECTION_WARNINGS], session, "%s",
				     json_string_value(v));
	}
}

/* ---- all sections ---- */

void findings_format(const json_t *doc, bool all, size_t width, struct strbuf *out)
{
	const json_t *variants = json_object_get(doc, "variants");
	struct section sections[N_SECTIONS];

	for (int i = 0; i < N_SECTIONS; i++)
		sections[i] = (struct section){ .title = section_titles[i],
						.exact = all || i == SECTION_EXPECTATIONS,
						.index = js_object() };
	findings_gather(doc, sections);
	for (int i = 0; i < N_SECTIONS; i++) {
		findings_section_format(&sections[i], variants, all, width, out);
		findings_section_free(&sections[i]);
	}
}
