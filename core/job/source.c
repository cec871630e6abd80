/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A job file's text as our own tree of values. The only file that knows libconfig. */
#include "core/job/source.h"

#include <errno.h>
#include <libconfig.h>

#include "core/job/flat.h"
#include "core/job/hint.h"
#include "core/util/sha256.h"
#include "core/util/str.h"
#include "core/util/xalloc.h"

/*
 * libconfig 1.5 loses the text it was reading when a syntax error follows. Not ours to mend, and
 * not to be taken for ours by the leak checker.
 */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SOURCE_LEAK_CHECK 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define SOURCE_LEAK_CHECK 1
#endif
#ifdef SOURCE_LEAK_CHECK
#include <sanitizer/lsan_interface.h>
#else
#define __lsan_disable() ((void)0)
#define __lsan_enable() ((void)0)
#endif

static bool source_parse(config_t *cfg, const char *text)
{
	bool good;

	__lsan_disable();
	good = config_read_string(cfg, text);
	__lsan_enable();
	return good;
}

static struct value *source_convert(const config_setting_t *c, const struct flat *f)
{
	struct flat_line at = flat_place(f, config_setting_source_line(c));
	struct value *v;

	switch (config_setting_type(c)) {
	case CONFIG_TYPE_INT:
		v = value_new(VALUE_INT, at.file, at.line);
		v->u.i = config_setting_get_int(c);
		v->bad = f->n_bad_ints && v->u.i == FLAT_BAD_INT;
		return v;
	case CONFIG_TYPE_INT64:
		v = value_new(VALUE_INT, at.file, at.line);
		v->u.i = config_setting_get_int64(c);
		return v;
	case CONFIG_TYPE_FLOAT:
		v = value_new(VALUE_FLOAT, at.file, at.line);
		v->u.f = config_setting_get_float(c);
		return v;
	case CONFIG_TYPE_BOOL:
		v = value_new(VALUE_BOOL, at.file, at.line);
		v->u.b = config_setting_get_bool(c);
		return v;
	case CONFIG_TYPE_STRING:
		return value_new_str(config_setting_get_string(c), at.file, at.line);
	default:
		break;
	}
	v = value_new(config_setting_is_group(c) ? VALUE_GROUP : VALUE_LIST, at.file, at.line);
	for (int i = 0; i < config_setting_length(c); i++) {
		const config_setting_t *item = config_setting_get_elem(c, (unsigned)i);

		value_add(v, config_setting_name(item), source_convert(item, f));
	}
	return v;
}

int source_load(const char *path, struct source *s, struct diag *d)
{
	size_t before = d->n;
	struct flat f;
	config_t cfg;
	int ret;

	*s = (struct source){ 0 };
	ret = flat_read(path, &f, d);
	if (!ret) {
		config_init(&cfg);
		if (source_parse(&cfg, strbuf_str(&f.text)))
			s->root = source_convert(config_root_setting(&cfg), &f);
		else
			hint_add(&f, config_error_text(&cfg), (unsigned)config_error_line(&cfg), d);
		config_destroy(&cfg);
	}
	sha256_hex(strbuf_str(&f.text), f.text.len, s->sha256);
	s->text = TAKE_PTR(f.main_text);
	s->len = f.main_len;
	s->files = TAKE_PTR(f.files);
	s->n_files = f.n_files;
	flat_release(&f);
	return ret || d->n > before ? -EINVAL : 0;
}

void source_release(struct source *s)
{
	value_free(s->root);
	free(s->text);
	str_freev(s->files);
	*s = (struct source){ 0 };
}
