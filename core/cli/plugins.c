/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fstrial plugins */
#include "core/cli/plugins.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "core/cli/command.h"
#include "core/cli/format.h"
#include "core/cli/load.h"
#include "core/report/table.h"
#include "core/util/text.h"
#include "core/util/exit.h"
#include "core/util/json.h"
#include "core/util/log.h"
#include "core/util/str.h"
#include "core/util/xalloc.h"

#define PLUGINS_FORMAT "fstrial-plugins/1"

struct plugins_args {
	struct load_args load;
	bool json;
	bool names;
};

static const struct arg plugins_args_table[] = {
	{ "json", NULL, "Print everything about all plugins, or about NAME, as JSON.", ARG_FLAG,
	  offsetof(struct plugins_args, json), NULL },
	{ "names", NULL, "Print all names only, one a line. For scripts.", ARG_FLAG,
	  offsetof(struct plugins_args, names), NULL },
	LOAD_ARG_PLUGIN_DIR(plugins_args),
};

/* ---- all ---- */

static const struct table_column plugins_columns[] = { { "name", 0 }, { "summary", TABLE_WRAP } };

/* Rows without titles: each kind has a heading of its own. */
static void plugins_rows(const char *heading, struct table *t, struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf rows = STRBUF_INIT;
	const char *line;

	if (t->n_rows) {
		table_format(t, COMMAND_WIDTH - 2, &rows);
		strbuf_addf(out, "%s%s\n", out->len ? "\n" : "", heading);
		for (line = strchr(rows.buf, '\n') + 1; *line; line = strchr(line, '\n') + 1)
			strbuf_addf(out, "  %.*s\n", (int)strcspn(line, "\n"), line);
	}
	table_free(t);
}

static void plugins_list(const struct registry *reg, struct strbuf *out)
{
	static const char *const headings[] = {
		[FST_SETUP] = "setup: { setup = \"NAME\"; ... }",
		[FST_WORKLOAD] = "workload: { workload = \"NAME\"; ... }",
		[FST_ENGINE] = "engine: ioengine = \"NAME\" in a data workload",
	};
	struct table t;

	for (uint32_t kind = FST_SETUP; kind <= FST_ENGINE; kind++) {
		table_init(&t, plugins_columns, ARRAY_SIZE(plugins_columns));
		for (size_t i = 0; i < reg->n; i++) {
			const struct fstrial_plugin *d = &reg->v[i]->desc;

			if (d->kind == kind)
				table_row(&t, (const char *[]){ d->name, d->summary });
		}
		plugins_rows(headings[kind], &t, out);
	}
	table_init(&t, plugins_columns, ARRAY_SIZE(plugins_columns));
	for (size_t i = 0; i < n_core_tables; i++)
		table_row(&t, (const char *[]){ core_tables[i].name, core_tables[i].doc });
	plugins_rows("parameters of the program itself", &t, out);
	strbuf_addstr(out, "\n\"fstrial plugins NAME\" has the parameters and metrics of one.\n");
}

/* Has one of the first n plugins this name? */
static bool plugins_have(const struct registry *reg, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (str_eq(reg->v[i]->desc.name, name))
			return true;
	return false;
}

/* A name that two share stands there once. */
static void plugins_names(const struct registry *reg, struct strbuf *out)
{
	for (size_t i = 0; i < reg->n; i++)
		if (!plugins_have(reg, i, reg->v[i]->desc.name))
			strbuf_addf(out, "%s\n", reg->v[i]->desc.name);
	for (size_t i = 0; i < n_core_tables; i++)
		if (!plugins_have(reg, reg->n, core_tables[i].name))
			strbuf_addf(out, "%s\n", core_tables[i].name);
}

static void plugins_refused(const struct registry *reg)
{
	for (size_t i = 0; i < reg->n_refused; i++)
		log_warning("%s: refused: %s", reg->refused[i].file, reg->refused[i].reason);
}

/* ---- one ---- */

static int plugins_unknown(const struct registry *reg, const char *name)
{
	_cleanup_free_ const char **names = xcalloc(reg->n + n_core_tables + 1, sizeof(*names));
	const char *near;
	size_t n = 0;

	for (size_t i = 0; i < reg->n; i++)
		names[n++] = reg->v[i]->desc.name;
	for (size_t i = 0; i < n_core_tables; i++)
		names[n++] = core_tables[i].name;
	near = str_nearest(name, names, n);
	if (near)
		log_error("there is no plugin %s; did you mean %s?", name, near);
	else
		log_error("there is no plugin %s; \"fstrial plugins\" lists them", name);
	for (size_t i = 0; i < reg->n_refused; i++) {
		const char *file = strrchr(reg->refused[i].file, '/');

		file = file ? file + 1 : reg->refused[i].file;
		if (str_starts(file, name) && str_eq(file + strlen(name), ".so"))
			log_error("%s: refused: %s", reg->refused[i].file, reg->refused[i].reason);
	}
	return EXIT_USAGE;
}

/* Of two kinds with the same name both are shown. */
static size_t plugins_named(const struct registry *reg, const char *name, struct strbuf *out)
{
	size_t found = 0;

	for (size_t i = 0; i < reg->n; i++) {
		if (!str_eq(reg->v[i]->desc.name, name))
			continue;
		strbuf_addstr(out, found++ ? "\n" : "");
		plugins_describe(reg->v[i], out);
	}
	for (size_t i = 0; i < n_core_tables; i++) {
		if (!str_eq(core_tables[i].name, name))
			continue;
		strbuf_addstr(out, found++ ? "\n" : "");
		plugins_describe_table(&core_tables[i], out);
	}
	return found;
}

/* All, or those called name. */
static size_t plugins_print_json(const struct registry *reg, const char *name)
{
	_cleanup_json_ json_t *doc = js_object();
	json_t *plugins = js_array(), *tables = js_array(), *refused = js_array();

	for (size_t i = 0; i < reg->n; i++) {
		if (!name || str_eq(reg->v[i]->desc.name, name))
			js_push(plugins, plugins_json(reg->v[i]));
	}
	for (size_t i = 0; i < n_core_tables; i++) {
		if (!name || str_eq(core_tables[i].name, name))
			js_push(tables, plugins_json_table(&core_tables[i]));
	}
	for (size_t i = 0; i < reg->n_refused && !name; i++) {
		json_t *o = js_object();

		js_set(o, "file", js_str(reg->refused[i].file));
		js_push(refused, js_set(o, "reason", js_str(reg->refused[i].reason)));
	}
	js_set(doc, "format", js_str(PLUGINS_FORMAT));
	js_set(doc, "plugins", plugins);
	js_set(doc, "tables", tables);
	js_set(doc, "refused", refused);
	if (json_array_size(plugins) + json_array_size(tables) > 0 || !name)
		js_print(doc, stdout);
	return json_array_size(plugins) + json_array_size(tables);
}

static int plugins_print(const struct registry *reg, const char *name, const struct plugins_args *a)
{
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
	size_t found = 1;

	if (a->names)
		plugins_names(reg, &out);
	else if (a->json)
		found = plugins_print_json(reg, name);
	else if (name)
		found = plugins_named(reg, name, &out);
	else
		plugins_list(reg, &out);
	fputs(strbuf_str(&out), stdout);
	if (name)
		return found ? EXIT_GOOD : plugins_unknown(reg, name);
	fflush(stdout);
	plugins_refused(reg);
	return EXIT_GOOD;
}

static int plugins_run(int argc, char **argv)
{
	struct plugins_args a = { 0 };
	struct arg_list operands;
	struct registry reg;
	int code = command_args(&command_plugins, argc, argv, &a, &operands);

	if (code < 0) {
		code = load_registry(&a.load, &reg);
		if (code == 0)
			code = plugins_print(&reg, operands.n ? operands.v[0] : NULL, &a);
		registry_release(&reg);
	}
	args_free_list(&operands);
	load_free(&a.load);
	return code;
}

const struct command command_plugins = {
	.name = "plugins",
	.usage = "[NAME] [options]",
	.summary = "list the plugins, or explain one",
	.help = "Lists the plugins by kind, and on standard error the files that look like plugins "
		"and were "
		"refused. With NAME: what the plugin does, and each parameter and metric it has. "
		"The names "
		"step, workload, io and device stand for the parameters that every step, every workload, "
		"every data workload and those take that can do their I/O on a device.\n\n"
		"Plugins are looked for in each --plugin-dir, in the folders of "
		"FSTRIAL_PLUGIN_PATH, in the "
		"folder plugins beside the program, and where fstrial was installed.\n\n"
		"Exit codes: 0 printed; 2 there is no NAME.",
	.args = ARG_TABLE(plugins_args_table),
	.max_operands = 1,
	.run = plugins_run,
};
