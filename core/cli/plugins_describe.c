/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A plugin explained, from its tables. */
#include <stdbool.h>
#include <string.h>

#include "core/cli/command.h"
#include "core/cli/plugins.h"
#include "core/param/param_parse.h"
#include "core/util/text.h"
#include "core/util/xalloc.h"

#define DESCRIBE_INDENT 6 /* of the sentence below a parameter */

static void describe_wrap(struct strbuf *out, size_t indent, const char *text)
{
	strbuf_addf(out, "%*s", (int)indent, "");
	text_wrap(out, text, indent, indent, COMMAND_WIDTH);
}

/*
 * A description whose lines end where its source's did is one paragraph: only the end of a sentence
 * ends one, and a line that is indented stands alone.
 */
static void describe_paragraphs(struct strbuf *out, size_t indent, const char *text)
{
	_cleanup_strbuf_ struct strbuf joined = STRBUF_INIT;

	for (const char *s = text; *s; s++) {
		bool within = *s == '\n' && s > text && !strchr(".:;!?)\n", s[-1]) && s[1] != ' ' &&
			      s[1] != '\n' && s[1];

		strbuf_addch(&joined, within ? ' ' : *s);
	}
	describe_wrap(out, indent, strbuf_str(&joined));
}

/* ---- parameters ---- */

static void describe_choices(const struct fst_param *p, struct strbuf *out)
{
	struct fst_choice c;
	size_t longest = 0;

	for (uint32_t i = 0; i < p->n_choices; i++) {
		param_choice(p, i, &c);
		longest = MAX(longest, text_width(c.name));
	}
	for (uint32_t i = 0; i < p->n_choices; i++) {
		size_t column = DESCRIBE_INDENT + 2 + longest + 2;

		param_choice(p, i, &c);
		strbuf_addf(out, "%*s%-*s  ", DESCRIBE_INDENT + 2, "", (int)longest, c.name);
		text_wrap(out, c.doc ? c.doc : "", column, column, COMMAND_WIDTH);
	}
}

/* "size, required, 512B to 1GiB" */
static void describe_type(const struct fst_param *p, struct strbuf *out)
{
	strbuf_addstr(out, param_type_name(p->type));
	if (p->unit)
		strbuf_addf(out, " in %s", p->unit);
	if (p->flags & FST_REQUIRED)
		strbuf_addstr(out, ", required");
	else if (p->def)
		strbuf_addf(out, ", default %s", *p->def ? p->def : "\"\"");
	if (p->min && p->max)
		strbuf_addf(out, ", %s to %s", p->min, p->max);
	else if (p->min)
		strbuf_addf(out, ", at least %s", p->min);
	else if (p->max)
		strbuf_addf(out, ", at most %s", p->max);
	if (p->alias)
		strbuf_addf(out, ", also called %s", p->alias);
	if (p->flags & FST_DEPRECATED)
		strbuf_addstr(out, ", deprecated");
}

static void describe_params(const char *owner, const void *table, uint32_t n, uint32_t stride,
			    struct strbuf *out)
{
	const struct param_layer layer = {
		.owner = owner, .table = table, .n = n, .stride = stride
	};

	for (uint32_t i = 0; i < n; i++) {
		_cleanup_strbuf_ struct strbuf type = STRBUF_INIT;
		struct fst_param p;
		size_t column;

		param_entry(&layer, i, &p);
		describe_type(&p, &type);
		strbuf_addf(out, "  %s  ", p.name);
		column = 4 + text_width(p.name);
		text_wrap(out, strbuf_str(&type), column, MAX(column, (size_t)DESCRIBE_INDENT),
			  COMMAND_WIDTH);
		describe_wrap(out, DESCRIBE_INDENT, p.doc);
		describe_choices(&p, out);
	}
}

/* ---- metrics and the rest ---- */

static const char *describe_better(uint32_t better)
{
	return better == FST_HIGHER  ? "higher is better"
	       : better == FST_LOWER ? "lower is better"
				     : "neither way better";
}

static void describe_metrics(const struct fstrial_plugin *d, struct strbuf *out)
{
	if (d->n_metrics)
		strbuf_addstr(out, "\nMetrics:\n");
	for (uint32_t i = 0; i < d->n_metrics; i++) {
		struct fst_metric m;

		plugin_metric(d, i, &m);
		strbuf_addf(out, "  %s  %s, %s%s\n", m.name, m.unit, describe_better(m.better),
			    m.flags & FST_PRIMARY ? ", primary" : "");
		describe_wrap(out, DESCRIBE_INDENT, m.doc);
	}
	if (d->n_ops)
		strbuf_addstr(out, "\nOperations, each with its latency:\n");
	for (uint32_t i = 0; i < d->n_ops; i++) {
		struct fst_op_kind op;

		plugin_op(d, i, &op);
		strbuf_addf(out, "  %s  ", op.name);
		text_wrap(out, op.doc ? op.doc : "", 4 + text_width(op.name), DESCRIBE_INDENT,
			  COMMAND_WIDTH);
	}
}

static void describe_needs(const struct fstrial_plugin *d, struct strbuf *out)
{
	static const struct {
		uint64_t flag;
		const char *text;
	} flags[] = {
		{ FST_NEEDS_ROOT, "Needs root; skipped otherwise." },
		{ FST_NEEDS_DEVICE, "Skipped in a directory, unless a step before it makes a device." },
		{ FST_DESTROYS_DEVICE, "What is on the target's device is lost." },
		{ FST_DROPS_CACHES, "Reads after it are cold." },
		{ FST_NEEDS_DIR, "Needs a mounted file system or a directory." },
		{ FST_PROVIDES_DIR, "The steps that follow work in the directory that it provides." },
		{ FST_PROVIDES_DEVICE, "The steps that follow work on the device that it makes." },
		{ FST_SIZES_ITSELF, "Has sizes of its own: size need not be given." },
		{ FST_ON_DEVICE, "Works on a device itself, past any file system, where filename says so." },
		{ FST_DECLARES_METRICS, "Which further metrics it has depends on its parameters." },
	};

	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		if (d->flags & flags[i].flag)
			describe_wrap(out, 2, flags[i].text);
	}
	for (uint32_t i = 0; i < d->n_tools; i++) {
		struct fst_tool t;

		plugin_tool(d, i, &t);
		strbuf_addf(out, "  Runs %s%s%s%s.\n", t.program, t.package ? " (package " : "",
			    t.package ? t.package : "", t.package ? ")" : "");
	}
}

static const struct core_table *describe_table(const char *name)
{
	for (size_t i = 0; i < n_core_tables; i++) {
		if (strcmp(core_tables[i].name, name) == 0)
			return &core_tables[i];
	}
	return NULL;
}

/* Names only: "fstrial plugins io" has the whole of them. */
static void describe_also(const char *who, const char *name, struct strbuf *out)
{
	const struct core_table *t = describe_table(name);
	_cleanup_strbuf_ struct strbuf line = STRBUF_INIT;

	if (!t)
		return;
	strbuf_addf(&line, "%s also takes (fstrial plugins %s):", who, name);
	for (uint32_t i = 0; i < t->n; i++)
		strbuf_addf(&line, " %s%s", t->v[i].name, i + 1 < t->n ? "," : "");
	strbuf_addch(out, '\n');
	text_wrap(out, strbuf_str(&line), 0, 2, COMMAND_WIDTH);
}

void plugins_describe(const struct plugin *p, struct strbuf *out)
{
	const struct fstrial_plugin *d = &p->desc;

	strbuf_addf(out, "%s %s, version %s\n", plugin_kind_name(d->kind), d->name, d->version);
	describe_wrap(out, 2, d->summary);
	strbuf_addch(out, '\n');
	if (d->description && *d->description)
		describe_paragraphs(out, 2, d->description);
	describe_needs(d, out);
	describe_wrap(out, 2, p->file);
	strbuf_addf(out, "\nParameters:%s\n", d->n_params ? "" : " none of its own");
	describe_params(d->name, d->params, d->n_params, d->param_size, out);
	describe_metrics(d, out);
	if (d->kind != FST_ENGINE)
		describe_also("Every step", "step", out);
	if (d->kind == FST_WORKLOAD)
		describe_also("Every workload", "workload", out);
	if (plugin_is_data_workload(p))
		describe_also("Every data workload", "io", out);
	if (d->flags & FST_ON_DEVICE)
		describe_also("It", "device", out);
}

void plugins_describe_table(const struct core_table *t, struct strbuf *out)
{
	strbuf_addf(out, "%s\n", t->name);
	describe_wrap(out, 2, t->doc);
	strbuf_addstr(out, "\nParameters:\n");
	describe_params(t->name, t->v, t->n, sizeof(*t->v), out);
}
