/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists of options taken apart. */
#include "core/import/options.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/util/json.h"
#include "core/util/str.h"
#include "core/util/xalloc.h"

#define OPTION_SET "yes"  /* of an option without a value */
#define OPTION_UNSET "no" /* where it is not given */

static bool is_letter_option(const char *word)
{
	return word[0] == '-' && isalpha((unsigned char)word[1]);
}

/* "-l" before "size=16384b" makes "l.size"; of mount options there is none. */
static void options_word(json_t *out, const char *prefix, const char *word)
{
	char **parts = str_split(word, ",", NULL);

	for (size_t i = 0; parts[i]; i++) {
		char *equals = strchr(parts[i], '=');
		_cleanup_free_ char *name = NULL;

		if (equals)
			*equals = '\0';
		name = *prefix ? xasprintf("%s.%s", prefix, parts[i]) : xstrdup(parts[i]);
		js_set(out, name, js_str(equals ? equals + 1 : OPTION_SET));
	}
	str_freev(parts);
}

static json_t *options_of(const char *text)
{
	char **words = str_split(text, " \t", NULL);
	json_t *out = js_object();
	const char *prefix = "";

	for (size_t i = 0; words[i]; i++) {
		bool follows = words[i + 1] && !is_letter_option(words[i + 1]);

		if (!is_letter_option(words[i])) {
			options_word(out, prefix, words[i]);
			prefix = "";
		} else if (words[i][2] && words[i][1] != '-') { /* -lsize=128m */
			char letter[2] = { words[i][1], '\0' };

			options_word(out, letter, words[i] + 2);
		} else if (follows) {
			prefix = words[i] + 1;
		} else {
			js_set(out, words[i] + 1, js_str(OPTION_SET));
		}
	}
	str_freev(words);
	return out;
}

/* A comma or a letter option somewhere: one word alone, such as "xfs", is a level as it stands. */
static bool is_list(const struct import *im, const char *factor)
{
	bool list = false;

	for (size_t i = 0; i < im->rows.n; i++) {
		const char *text = js_get_str(im->rows.v[i].cells, factor, "");

		list = list || strchr(text, ',') || is_letter_option(text);
	}
	return list;
}

/* What a row has of an option. */
static const char *level(json_t *const *options, size_t row, const char *name)
{
	return js_get_str(options[row], name, OPTION_UNSET);
}

static bool varies(const struct import *im, json_t *const *options, const char *name)
{
	for (size_t i = 1; i < im->rows.n; i++) {
		if (!str_eq(level(options, i, name), level(options, 0, name)))
			return true;
	}
	return false;
}

/* Do two options tell the rows apart in the same way? Each level of one must have one of the other, and back. */
static bool together(const struct import *im, json_t *const *options, const char *a, const char *b)
{
	_cleanup_json_ json_t *there = js_object(), *back = js_object();

	for (size_t i = 0; i < im->rows.n; i++) {
		const char *x = level(options, i, a), *y = level(options, i, b);

		if (!json_object_get(there, x))
			js_set(there, x, js_str(y));
		if (!json_object_get(back, y))
			js_set(back, y, js_str(x));
		if (!str_eq(js_get_str(there, x, ""), y) || !str_eq(js_get_str(back, y, ""), x))
			return false;
	}
	return true;
}

/* The factor of name and all that come with it, into every row. They are taken out of names. */
static void add_group(struct import *im, json_t *const *options, const char *factor,
		      const char *first, json_t *names)
{
	_cleanup_strbuf_ struct strbuf title = STRBUF_INIT;
	_cleanup_json_ json_t *group = js_array();
	const char *key;
	json_t *v;
	void *tmp;
	size_t k;

	json_object_foreach_safe(names, tmp, key, v)
	{
		if (!str_eq(key, first) && !together(im, options, first, key))
			continue;
		strbuf_addf(&title, "%s%s", title.len ? "+" : "", key);
		js_push(group, js_str(key));
		json_object_del(names, key);
	}
	for (size_t i = 0; i < im->rows.n; i++) {
		_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
		_cleanup_free_ char *name = xasprintf("%s.%s", factor, strbuf_str(&title));
		bool none = true;

		json_array_foreach(group, k, v)
		{
			const char *l = level(options, i, json_string_value(v));

			none = none && str_eq(l, OPTION_UNSET);
			strbuf_addf(&text, "%s%s", k ? "," : "", l);
		}
		js_set(im->rows.v[i].cells, name, js_str(none ? OPTION_UNSET : strbuf_str(&text)));
	}
}

/* Every option that some row has; those that all have alike go to the constants. */
static json_t *varied_names(struct import *im, json_t *const *options, const char *factor)
{
	json_t *names = js_object(), *v;
	const char *key;

	for (size_t i = 0; i < im->rows.n; i++) {
		json_object_foreach(options[i], key, v)
		{
			_cleanup_free_ char *name = xasprintf("%s.%s", factor, key);

			if (varies(im, options, key))
				js_set(names, key, json_true());
			else
				js_set(im->constants, name, json_incref(v));
		}
	}
	return names;
}

static void split(struct import *im, const char *factor)
{
	json_t **options = xcalloc(im->rows.n, sizeof(*options)), *names;

	for (size_t i = 0; i < im->rows.n; i++) {
		options[i] = options_of(js_get_str(im->rows.v[i].cells, factor, ""));
		json_object_del(im->rows.v[i].cells, factor);
	}
	names = varied_names(im, options, factor);
	while (json_object_size(names)) {
		_cleanup_free_ char *first = xstrdup(json_object_iter_key(json_object_iter(names)));

		add_group(im, options, factor, first, names);
	}
	json_decref(names);
	for (size_t i = 0; i < im->rows.n; i++)
		json_decref(options[i]);
	free(options);
}

void import_split_options(struct import *im)
{
	_cleanup_json_ json_t *names = js_array();
	const char *key;
	json_t *v;
	size_t i;

	if (!im->rows.n)
		return;
	json_object_foreach(im->rows.v[0].cells, key, v)
	{
		js_push(names, js_str(key));
	}
	json_array_foreach(names, i, v)
	{
		if (is_list(im, json_string_value(v)))
			split(im, json_string_value(v));
	}
}
