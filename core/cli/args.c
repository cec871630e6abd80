/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options of a command, from a const table. */
#include "core/cli/args.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/util/text.h"
#include "core/util/str.h"
#include "core/util/units.h"
#include "core/util/xalloc.h"

#define ARGS_HELP_COLUMN 26 /* where an option's sentence begins */

static void args_list_add(struct arg_list *list, const char *text)
{
	list->v = xreallocarray(list->v, list->n + 1, sizeof(*list->v));
	list->v[list->n++] = text;
}

void args_free_list(struct arg_list *list)
{
	free(list->v);
	*list = (struct arg_list){ NULL, 0 };
}

/* ---- one option ---- */

static const struct arg *args_find(const struct arg_table *table, const char *name, size_t len)
{
	for (size_t i = 0; i < table->n; i++) {
		if (strncmp(table->v[i].name, name, len) == 0 && !table->v[i].name[len])
			return &table->v[i];
	}
	return NULL;
}

static int args_unknown(const struct arg_table *table, const char *name, struct err *e)
{
	_cleanup_free_ const char **names = xcalloc(table->n + 1, sizeof(*names));
	const char *near;

	for (size_t i = 0; i < table->n; i++)
		names[i] = table->v[i].name;
	names[table->n] = "help";
	near = str_nearest(name, names, table->n + 1);
	return near ? err_set(e, EINVAL, "unknown option --%s; did you mean --%s?", name, near)
		    : err_set(e, EINVAL, "unknown option --%s", name);
}

static int args_choice(const struct arg *a, const char *value, int *out, struct err *e)
{
	_cleanup_strbuf_ struct strbuf names = STRBUF_INIT;

	for (int i = 0; a->choices[i]; i++) {
		if (str_eq(a->choices[i], value)) {
			*out = i;
			return 0;
		}
		strbuf_addf(&names, "%s%s", i ? ", " : "", a->choices[i]);
	}
	return err_set(e, EINVAL, "--%s %s: must be one of %s", a->name, value, strbuf_str(&names));
}

static int args_number(const struct arg *a, const char *value, uint64_t max, uint64_t *out,
		       struct err *e)
{
	struct err why = { 0 };

	if (units_parse_u64(value, out, &why) < 0)
		return err_set(e, EINVAL, "--%s %s: %s", a->name, value, why.text);
	if (*out < 1 || *out > max)
		return err_set(e, EINVAL, "--%s %s: must be between 1 and %llu", a->name, value,
			       (unsigned long long)max);
	return 0;
}

static int args_store(const struct arg *a, const char *value, void *into, struct err *e)
{
	void *p = (char *)into + a->offset;
	uint64_t number = 0;
	int r = 0;

	switch (a->type) {
	case ARG_FLAG:
		*(bool *)p = true;
		break;
	case ARG_TEXT:
		*(const char **)p = value;
		break;
	case ARG_LIST:
		args_list_add(p, value);
		break;
	case ARG_U32:
		r = args_number(a, value, UINT32_MAX, &number, e);
		*(uint32_t *)p = (uint32_t)number;
		break;
	case ARG_U64:
		r = args_number(a, value, UINT64_MAX, p, e);
		break;
	case ARG_CHOICE:
		r = args_choice(a, value, p, e);
		break;
	}
	return r;
}

/* The option at argv[*i], with its value behind "=" or in the next word. */
static int args_option(const struct arg_table *table, int argc, char **argv, int *i, void *into,
		       struct err *e)
{
	const char *name = argv[*i] + 2, *value = strchr(name, '=');
	size_t len = value ? (size_t)(value - name) : strlen(name);
	const struct arg *a = args_find(table, name, len);
	_cleanup_free_ char *plain = xstrndup(name, len);

	if (!a)
		return args_unknown(table, plain, e);
	if (a->type == ARG_FLAG && value)
		return err_set(e, EINVAL, "--%s takes no value", plain);
	if (a->type != ARG_FLAG) {
		if (value)
			value++;
		else if (++*i < argc)
			value = argv[*i];
		else
			return err_set(e, EINVAL, "--%s needs a value: --%s %s", plain, plain,
				       a->value);
		if (!*value)
			return err_set(e, EINVAL, "--%s: the value is empty", plain);
	}
	return args_store(a, value, into, e);
}

int args_parse(const struct arg_table *table, int argc, char **argv, void *into,
	       struct arg_list *operands, struct err *e)
{
	bool options = true;
	int r = 0;

	*operands = (struct arg_list){ NULL, 0 };
	for (int i = 1; i < argc && r == 0; i++) {
		const char *s = argv[i];

		if (options && str_eq(s, "--"))
			options = false;
		else if (options && str_starts(s, "--"))
			r = args_option(table, argc, argv, &i, into, e);
		else if (options && s[0] == '-' && s[1])
			r = err_set(e, EINVAL, "unknown option %s: options are long, like --%s", s,
				    table->n ? table->v[0].name : "help");
		else
			args_list_add(operands, s);
	}
	return r;
}

/* ---- help ---- */

void args_help(const struct arg_table *table, size_t width, struct strbuf *out)
{
	for (size_t i = 0; i < table->n; i++) {
		const struct arg *a = &table->v[i];
		size_t start = out->len, column;

		strbuf_addf(out, "  --%s", a->name);
		for (size_t k = 0; a->choices && a->choices[k]; k++)
			strbuf_addf(out, "%s%s", k ? "|" : " ", a->choices[k]);
		if (!a->choices && a->value)
			strbuf_addf(out, " %s", a->value);
		column = out->len - start;
		if (column + 2 > ARGS_HELP_COLUMN)
			strbuf_addf(out, "\n%*s", ARGS_HELP_COLUMN, "");
		else
			strbuf_addf(out, "%*s", ARGS_HELP_COLUMN - (int)column, "");
		text_wrap(out, a->doc, ARGS_HELP_COLUMN, ARGS_HELP_COLUMN, width);
	}
}
