/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Putting values in the place of ${name} in texts. */
#include "core/job/subst.h"

#include <errno.h>
#include <string.h>

#include "core/job/job.h"
#include "core/job/ref.h"
#include "core/job/subst_piece.h"
#include "core/param/param_names.h"
#include "core/util/strbuf.h"
#include "core/util/xalloc.h"

int subst_next(const char **text, struct subst_piece *p, const char **why)
{
	const char *s = *text, *end;
	size_t len;

	*p = (struct subst_piece){ .s = s };
	if (!*s)
		return 0;
	if (s[0] == '$' && s[1] == '$') {
		p->len = 1;
		*text = s + 2;
		return 1;
	}
	if (s[0] != '$' || s[1] != '{') {
		p->len = 1 + strcspn(s + 1, "$");
		*text = s + p->len;
		return 1;
	}
	end = strchr(s, '}');
	len = end ? (size_t)(end - s) - 2 : 0;
	if (!end || !len || len >= sizeof(p->name)) {
		*why = !end ? "\"${\" without its \"}\"; $$ is a plain $" : "${ } needs a name";
		return -EINVAL;
	}
	memcpy(p->name, s + 2, len);
	*text = end + 1;
	return 1;
}

bool subst_is_needed(const struct value *v)
{
	if (v->type == VALUE_STR)
		return strchr(v->u.s, '$');
	if (v->type != VALUE_LIST && v->type != VALUE_GROUP)
		return false;
	for (size_t i = 0; i < v->u.l.n; i++) {
		if (subst_is_needed(v->u.l.v[i]))
			return true;
	}
	return false;
}

/* What is substituted, for whom: at is the value whose text is being made. */
struct subst_work {
	const struct job *job;
	uint32_t variant;
	const struct value *at;
	struct diag *d;
	unsigned depth;
	unsigned *budget;
};

static int subst_work_value(const struct subst_work *w, const struct value *v, struct value **out);

/* Has the value too many ${} in it, through variables? subst_scan() says so. */
static bool subst_spent(const struct subst_work *w)
{
	return ++*w->budget > SUBST_REFS_MAX;
}

/* "ram" and the others; bytes are given with their unit where a size is computed. */
static int subst_known(const struct subst_work *w, const char *name, bool unit, struct value **out)
{
	_cleanup_free_ char *text = NULL;
	bool is_size;
	uint64_t v;

	if (param_names_get(name, &w->job->names, &v, &is_size)) {
		diag_add(w->d, w->at->file, w->at->line, "${%s} is not known here", name);
		return -EINVAL;
	}
	if (!is_size) {
		*out = value_new(VALUE_INT, w->at->file, w->at->line);
		(*out)->u.i = (int64_t)v;
		return 0;
	}
	text = xasprintf("%llu%s", (unsigned long long)v, unit ? "B" : "");
	*out = value_new_str(text, w->at->file, w->at->line);
	return 0;
}

/* A member that this variant's group has not, though another's has. */
static int subst_no_member(const struct subst_work *w, const char *name, const struct ref *r)
{
	const struct job_factor *f = &w->job->factors[r->index];
	const struct value *group =
		f->values->u.l.v[job_variant_choice(w->job, w->variant, r->index)];
	const struct value *label = value_get(group, "name");

	diag_add(w->d, w->at->file, w->at->line, "${%s}: %s \"%s\" has no %s", name, f->name,
		 label && label->type == VALUE_STR ? label->u.s : "", r->path);
	return -EINVAL;
}

static int subst_ref(const struct subst_work *w, const char *name, bool unit, struct value **out)
{
	const struct value *v;
	struct ref r;

	*out = NULL;
	if (w->depth > SUBST_DEPTH_MAX || subst_spent(w) || ref_find(w->job, name, &r) ||
	    (r.kind == REF_FACTOR && w->variant == SUBST_NO_VARIANT))
		return -EINVAL; /* said by subst_scan() */
	if (r.kind == REF_KNOWN)
		return subst_known(w, name, unit, out);
	v = ref_value(w->job, &r, w->variant);
	if (!v)
		return subst_no_member(w, name, &r);
	if (r.kind == REF_VAR) {
		struct subst_work down = *w;

		down.depth++;
		if (subst_work_value(&down, v, out))
			return -EINVAL;
	} else {
		*out = value_copy(v);
	}
	if (!(*out)->line) {
		(*out)->file = w->at->file;
		(*out)->line = w->at->line;
	}
	return 0;
}

/* Is the text, but for its ${}, arithmetic ("2*${ram}")? */
static bool subst_is_arithmetic(const char *text)
{
	struct subst_piece p;
	const char *why;

	while (subst_next(&text, &p, &why) > 0) {
		if (!*p.name && strspn(p.s, "0123456789.*/+-()% ") < p.len)
			return false;
	}
	return true;
}

static int subst_add_ref(const struct subst_work *w, const char *name, bool unit, struct strbuf *sb)
{
	_cleanup_free_ char *text = NULL;
	struct value *v = NULL;
	int ret = subst_ref(w, name, unit, &v);

	if (ret || !v || v->bad) {
		value_free(v);
		return -EINVAL;
	}
	if (v->type == VALUE_GROUP && value_get(v, "name"))
		text = value_text(value_get(v, "name"));
	else
		text = value_text(v);
	if (text) {
		strbuf_addstr(sb, text);
	} else {
		diag_add(w->d, w->at->file, w->at->line,
			 "${%s} is %s and cannot stand inside a text", name,
			 value_type_phrase(v->type));
		ret = -EINVAL;
	}
	value_free(v);
	return ret;
}

static int subst_text(const struct subst_work *w, const char *text, struct value **out)
{
	_cleanup_strbuf_ struct strbuf sb = STRBUF_INIT;
	const char *rest = text, *why;
	struct subst_piece p;
	bool unit;
	int more;

	if (subst_next(&rest, &p, &why) > 0 && *p.name && !*rest)
		return subst_ref(w, p.name, true, out);
	unit = subst_is_arithmetic(text);
	rest = text;
	while ((more = subst_next(&rest, &p, &why)) > 0) {
		if (!*p.name)
			strbuf_add(&sb, p.s, p.len);
		else if (subst_add_ref(w, p.name, unit, &sb))
			return -EINVAL;
		if (sb.len > SUBST_TEXT_MAX) {
			diag_add(w->d, w->at->file, w->at->line,
				 "the text becomes longer than 64 KiB");
			return -EINVAL;
		}
	}
	if (more < 0)
		return -EINVAL; /* said by subst_scan() */
	*out = value_new_str(strbuf_str(&sb), w->at->file, w->at->line);
	return 0;
}

static int subst_work_value(const struct subst_work *w, const struct value *v, struct value **out)
{
	struct subst_work here = *w;
	int ret = 0;

	*out = NULL;
	if (v->line)
		here.at = v;
	if (!subst_is_needed(v)) {
		*out = value_copy(v);
		return 0;
	}
	if (v->type == VALUE_STR)
		return subst_text(&here, v->u.s, out);
	*out = value_new(v->type, v->file, v->line);
	for (size_t i = 0; i < v->u.l.n; i++) {
		struct value *item;

		if (subst_work_value(&here, v->u.l.v[i], &item))
			ret = -EINVAL;
		else
			value_add(*out, v->u.l.names ? v->u.l.names[i] : NULL, item);
	}
	if (ret) {
		value_free(*out);
		*out = NULL;
	}
	return ret;
}

int subst_value(const struct job *job, uint32_t variant, const struct value *v, struct value **out,
		struct diag *d)
{
	unsigned budget = 0;
	const struct subst_work w = {
		.job = job, .variant = variant, .at = v, .d = d, .budget = &budget
	};

	return subst_work_value(&w, v, out);
}
