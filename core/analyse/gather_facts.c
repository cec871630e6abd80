/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The conditions of a variant, out of a trial: its file system, its device's settings, the programs that made them. */
#include "core/analyse/gather_private.h"

#include <stdlib.h>
#include <string.h>

#include "core/util/macro.h"
#include "core/util/strbuf.h"

struct gather_fs {
	struct jspan type, block_size, features, geometry, mount;
};

static const struct want fs_wants[] = {
	WANT(gather_fs, type),
	WANT(gather_fs, block_size),
	WANT(gather_fs, features),
	WANT(gather_fs, geometry),
	WANT(gather_fs, mount),
};

struct gather_tool {
	struct jspan command, tool_version;
};

static const struct want tool_wants[] = {
	WANT(gather_tool, command),
	WANT(gather_tool, tool_version),
};

/* Puts the wanted members of an object into *out; of what is none, nothing. */
static void take_members(struct gather *g, struct jspan object, const struct want *wants, size_t n, void *out)
{
	struct jspan key;
	struct jscan j;

	gather_sub(&j, g, object);
	for (bool in = jscan_object(&j); in && jscan_key(&j, &key);) {
		const struct want *w = gather_want(wants, n, key);

		jscan_value(&j, w ? (struct jspan *)((char *)out + w->offset) : NULL);
	}
}

/* What is not known is no fact: it differs from everything that is. */
static void put(struct gather *g, const char *variant, const char *what, struct jspan v)
{
	if (v.len && !jspan_is(v, "null"))
		facts_put(&g->facts, variant, strmap_text(g->set->pool, what), gather_piece_text(g, v), true);
}

static void put_members(struct gather *g, const char *variant, const char *what, struct jspan object)
{
	_cleanup_strbuf_ struct strbuf name = STRBUF_INIT;
	struct jspan key, v;
	struct jscan j;

	gather_sub(&j, g, object);
	for (bool in = jscan_object(&j); in && jscan_key(&j, &key);) {
		jscan_value(&j, &v);
		strbuf_truncate(&name, 0);
		strbuf_addstr(&name, what);
		strbuf_addstr(&name, gather_key_text(g, key));
		put(g, variant, strbuf_str(&name), v);
	}
}

/*
 * Options with a loop device as "logdev=/dev/loop": its number is by chance, that the log is on another device is
 * not.
 */
static void put_options(struct gather *g, const char *variant, struct jspan mount)
{
	static const struct want wants[] = { { "options", 7, 0 } };
	static const char loop[] = "/dev/loop";
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct jspan options = { 0 };
	const char *p, *at;

	take_members(g, mount, wants, ARRAY_SIZE(wants), &options);
	if (!options.len || options.s[0] != '"')
		return;
	p = gather_piece_text(g, options);
	while ((at = strstr(p, loop))) {
		at += strlen(loop);
		strbuf_add(&text, p, (size_t)(at - p));
		p = at + strspn(at, "0123456789");
	}
	strbuf_addstr(&text, p);
	facts_put(&g->facts, variant, strmap_text(g->set->pool, "mount options"),
		  strmap_text(g->set->pool, strbuf_str(&text)), true);
}

/* The program of a command, its first word. */
static const char *program_of(struct gather *g, struct jspan command)
{
	_cleanup_strbuf_ struct strbuf word = STRBUF_INIT;
	const char *blank = memchr(command.s, ' ', command.len);

	strbuf_add(&word, command.s, blank ? (size_t)(blank - command.s) : command.len);
	if (blank)
		strbuf_addch(&word, '"');
	return gather_piece_text(g, (struct jspan){ word.buf, word.len });
}

static const struct fact *find_fact(const struct facts *f, const char *variant, const char *what)
{
	for (size_t i = f->n; i-- > 0 && f->v[i].variant == variant;)
		if (f->v[i].what == what)
			return &f->v[i];
	return NULL;
}

/*
 * Under the name that the installed one has, so that the same difference is not told twice; of a program that the job
 * named itself the place, too, as two builds may call themselves the same.
 */
static void put_tool(struct gather *g, const char *variant, const struct gather_step *step)
{
	_cleanup_free_ char *what = NULL, *text = NULL;
	struct gather_tool tool = { 0 };
	const char *program, *slash, *name, *value;
	const struct fact *other;

	take_members(g, step->notes, tool_wants, ARRAY_SIZE(tool_wants), &tool);
	if (!tool.tool_version.len || tool.tool_version.s[0] != '"' || !tool.command.len || tool.command.s[0] != '"')
		return;
	program = program_of(g, tool.command);
	slash = strrchr(program, '/');
	what = xasprintf("version of %s", slash ? slash + 1 : program);
	value = gather_piece_text(g, tool.tool_version);
	if (slash) {
		text = xasprintf("%s (%s)", value, program);
		value = strmap_text(g->set->pool, text);
	}
	name = strmap_text(g->set->pool, what);
	other = find_fact(&g->facts, variant, name);
	if (other && other->text != value) {
		free(what);
		what = xasprintf("%s in step %s", name, gather_piece_text(g, step->name));
		name = strmap_text(g->set->pool, what);
		other = find_fact(&g->facts, variant, name);
	}
	if (!other)
		facts_put(&g->facts, variant, name, value, false);
}

void gather_variant_facts(struct gather *g, const char *variant, const struct gather_trial *t)
{
	struct strmap *pool = g->set->pool;
	struct gather_fs fs = { 0 };

	/* Even with no condition at all it is a variant that was measured. */
	facts_put(&g->facts, variant, strmap_text(pool, "file system"),
		  strmap_text(pool, t->filesystem.len && t->filesystem.s[0] == '{' ? "mounted" : "none"), true);
	take_members(g, t->filesystem, fs_wants, ARRAY_SIZE(fs_wants), &fs);
	put(g, variant, "file system's type", fs.type);
	put(g, variant, "file system's block_size", fs.block_size);
	put(g, variant, "file system's features", fs.features);
	put_members(g, variant, "file system's ", fs.geometry);
	put_options(g, variant, fs.mount);
	put_members(g, variant, "device setting ", t->device_settings);
	for (size_t i = 0; i < t->steps.n; i++)
		if (jspan_is_string(t->steps.v[i].kind, "setup"))
			put_tool(g, variant, &t->steps.v[i]);
}
