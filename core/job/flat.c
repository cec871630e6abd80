/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One text out of a job file and what it includes. */
#include "core/job/flat.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include "core/job/scan.h"
#include "core/job/source.h"
#include "core/util/file.h"
#include "core/util/str.h"
#include "core/util/vec.h"
#include "core/util/xalloc.h"

#define FLAT_MAX_DEPTH 10

/* A file that is being read, and who includes it. */
struct flat_file {
	const struct flat_file *parent;
	const char *name;
	unsigned line; /* of the @include in the parent */
	dev_t dev;
	ino_t ino;
	unsigned depth;
};

static int flat_file_read(struct flat *f, struct diag *d, struct flat_file *ff);

/* Adds whole lines of a file, or what is left of one. */
static void flat_add(struct flat *f, const char *file, unsigned line, const char *s, size_t len)
{
	while (len) {
		const char *nl = memchr(s, '\n', len);
		size_t n = nl ? (size_t)(nl - s) + 1 : len;
		bool at_start = !f->text.len || f->text.buf[f->text.len - 1] == '\n';

		if (at_start) {
			if (f->n_lines == f->cap_lines) {
				f->cap_lines = f->cap_lines ? 2 * f->cap_lines : 64;
				f->lines = xreallocarray(f->lines, f->cap_lines, sizeof(*f->lines));
			}
			f->lines[f->n_lines++] = (struct flat_line){ file, line };
		}
		strbuf_add(&f->text, s, n);
		line += nl != NULL;
		s += n;
		len -= n;
	}
}

/* Says what is wrong with reading a file, where it is asked for. */
static int flat_cannot(const struct flat_file *ff, struct diag *d, const char *why)
{
	if (ff->parent)
		diag_add(d, ff->parent->name, ff->line, "@include \"%s\": %s", ff->name, why);
	else
		diag_add(d, ff->name, 0, "%s", why);
	return -EINVAL;
}

/* "a.job -> b.job -> a.job" when the file is already being read. */
static bool flat_is_cycle(const struct flat_file *ff, struct diag *d)
{
	_cleanup_strbuf_ struct strbuf way = STRBUF_INIT;
	_cleanup_free_ char *why = NULL;
	const struct flat_file *p = ff->parent;

	while (p && !(p->dev == ff->dev && p->ino == ff->ino))
		p = p->parent;
	if (!p)
		return false;
	strbuf_addstr(&way, ff->name);
	for (const struct flat_file *q = ff->parent;; q = q->parent) {
		_cleanup_free_ char *rest = strbuf_steal(&way);

		strbuf_addf(&way, "%s -> %s", q->name, rest);
		if (q == p)
			break;
	}
	why = xasprintf("the file includes itself: %s", strbuf_str(&way));
	flat_cannot(ff, d, why);
	return true;
}

static int flat_open(struct flat *f, struct diag *d, struct flat_file *ff, char **text, size_t *len)
{
	struct err e = { 0 };
	struct stat st;
	int ret;

	if (stat(ff->name, &st))
		return flat_cannot(ff, d, strerror(errno));
	if (S_ISDIR(st.st_mode))
		return flat_cannot(ff, d, strerror(EISDIR));
	ff->dev = st.st_dev;
	ff->ino = st.st_ino;
	if (flat_is_cycle(ff, d))
		return -EINVAL;
	if (ff->depth > FLAT_MAX_DEPTH)
		return flat_cannot(ff, d, "includes are nested more than ten deep");
	ret = file_read(ff->name, SOURCE_MAX_BYTES - f->n_bytes, text, len, &e);
	if (ret == -EFBIG)
		return flat_cannot(ff, d,
				   ff->parent ? "with this file the job is larger than 1 MiB"
					      : "a job file of more than 1 MiB is not read");
	if (ret)
		return flat_cannot(ff, d, strerror(-ret));
	f->n_bytes += *len;
	return 0;
}

/* Length of the UTF-8 sequence at s, 0 when it is none. Overlong forms and surrogates are none. */
static size_t utf8_len(const unsigned char *s, size_t left)
{
	size_t n = s[0] < 0x80	 ? 1
		   : s[0] < 0xc2 ? 0
		   : s[0] < 0xe0 ? 2
		   : s[0] < 0xf0 ? 3
		   : s[0] < 0xf5 ? 4
				 : 0;

	if (n > left)
		return 0;
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	}
	if (n == 3 && ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f)))
		return 0;
	if (n == 4 && ((s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f)))
		return 0;
	return n;
}

static int flat_check_bytes(const struct flat_file *ff, struct diag *d, const char *text,
			    size_t len)
{
	unsigned line = 1;

	if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
		diag_add(d, ff->name, 1,
			 "the file begins with a byte order mark: save it without one");
		return -EINVAL;
	}
	for (size_t i = 0, n; i < len; i += n) {
		n = utf8_len((const unsigned char *)text + i, len - i);
		if (!text[i] || !n) {
			diag_add(d, ff->name, line,
				 !text[i] ? "a NUL byte: this is not a text file"
					  : "the text is not UTF-8");
			return -EINVAL;
		}
		line += text[i] == '\n';
	}
	return 0;
}

/* The name as it is found from the including file's directory. */
static char *flat_include_path(const struct flat_file *ff, const char *name)
{
	const char *slash = strrchr(ff->name, '/');

	if (*name == '/' || !slash)
		return xstrdup(name);
	return xasprintf("%.*s/%s", (int)(slash - ff->name), ff->name, name);
}

/* What stands behind '@' up to the end of the line: the file's name, or NULL when malformed. */
static char *flat_include_name(const char *line, size_t len)
{
	_cleanup_free_ char *copy = xstrndup(line, len);
	char *s = copy, *end;

	if (!str_starts(s, "@include"))
		return NULL;
	s += strlen("@include");
	s += strspn(s, " \t");
	if (*s++ != '"')
		return NULL;
	end = strchr(s, '"');
	if (!end || end == s)
		return NULL;
	*end++ = '\0';
	end = str_trim(end);
	if (*end && *end != '#' && !str_starts(end, "//"))
		return NULL;
	return xstrdup(s);
}

static int flat_include(struct flat *f, struct diag *d, const struct flat_file *ff,
			const struct token *at, size_t len, bool alone)
{
	_cleanup_free_ char *name = alone ? flat_include_name(at->s, len) : NULL;
	_cleanup_free_ char *path = name ? flat_include_path(ff, name) : NULL;
	struct flat_file child = {
		.parent = ff, .name = path, .line = at->line, .depth = ff->depth + 1
	};

	if (!path) {
		diag_add(d, ff->name, at->line,
			 "@include stands on a line of its own: @include \"FILE\"");
		return -EINVAL;
	}
	return flat_file_read(f, d, &child);
}

/*
 * At a token of type TOKEN_OPEN_*. long_line: of the first text that has more than one line, or 0.
 */
static int flat_open_end(const struct flat_file *ff, struct diag *d, const struct token *t,
			 unsigned long_line)
{
	if (t->type == TOKEN_OPEN_COMMENT)
		diag_add(d, ff->name, t->line,
			 "the comment that begins here has no end: */ is missing");
	else if (long_line)
		diag_add(d, ff->name, t->line,
			 "the text that begins here has no closing \"; or is one missing in "
			 "line %u, where a text goes on in the next line?",
			 long_line);
	else
		diag_add(d, ff->name, t->line, "the text that begins here has no closing \"");
	return -EINVAL;
}

static bool flat_starts_line(const char *text, const char *s)
{
	while (s > text && (s[-1] == ' ' || s[-1] == '\t'))
		s--;
	return s == text || s[-1] == '\n';
}

/* Walks over one file's text, taking in what it includes. name is the lasting one. */
static int flat_walk(struct flat *f, struct diag *d, const struct flat_file *ff, const char *name,
		     const char *text, size_t len)
{
	struct scan s = { text, text + len, 1 };
	const char *from = text;
	unsigned from_line = 1, long_line = 0;
	struct token t;
	int ret = 0;

	while (scan_next(&s, &t)) {
		if (t.type == TOKEN_OPEN_TEXT || t.type == TOKEN_OPEN_COMMENT)
			return flat_open_end(ff, d, &t, long_line);
		if (t.type == TOKEN_TEXT && t.last_line != t.line && !long_line)
			long_line = t.line;
		if (t.type == TOKEN_NUMBER && token_check_number(&t, name, d)) {
			char bad[32];
			int n = snprintf(bad, sizeof(bad), "%d", FLAT_BAD_INT);

			flat_add(f, name, from_line, from, (size_t)(t.s - from));
			flat_add(f, name, t.line, bad, (size_t)n);
			f->n_bad_ints++;
			from = s.p;
			from_line = t.line;
		}
		if (token_is(&t, '@')) {
			const char *nl = memchr(t.s, '\n', (size_t)(s.end - t.s));
			const char *end = nl ? nl : s.end;

			flat_add(f, name, from_line, from, (size_t)(t.s - from));
			if (f->text.len && f->text.buf[f->text.len - 1] != '\n')
				flat_add(f, name, t.line, "\n", 1);
			if (flat_include(f, d, ff, &t, (size_t)(end - t.s),
					 flat_starts_line(text, t.s)))
				ret = -EINVAL;
			s.p = from = end + (nl != NULL);
			s.line = from_line = t.line + (nl != NULL);
		}
	}
	flat_add(f, name, from_line, from, (size_t)(s.end - from));
	if (f->text.len && f->text.buf[f->text.len - 1] != '\n')
		flat_add(f, name, s.line, "\n", 1);
	return ret;
}

static int flat_file_read(struct flat *f, struct diag *d, struct flat_file *ff)
{
	_cleanup_free_ char *text = NULL;
	char *name;
	size_t len = 0;
	int ret = flat_open(f, d, ff, &text, &len);

	if (ret)
		return ret;
	name = xstrdup(ff->name);
	f->files = xreallocarray(f->files, f->n_files + 2, sizeof(*f->files));
	f->files[f->n_files++] = name;
	f->files[f->n_files] = NULL;
	ret = flat_check_bytes(ff, d, text, len);
	if (!ret)
		ret = flat_walk(f, d, ff, name, text, len);
	if (!ff->parent) {
		f->main_len = len;
		f->main_text = TAKE_PTR(text);
	}
	return ret;
}

int flat_read(const char *path, struct flat *f, struct diag *d)
{
	struct flat_file main_file = { .name = path };

	*f = (struct flat){ 0 };
	return flat_file_read(f, d, &main_file);
}

void flat_release(struct flat *f)
{
	strbuf_free(&f->text);
	free(f->lines);
	str_freev(f->files);
	free(f->main_text);
	*f = (struct flat){ 0 };
}

struct flat_line flat_place(const struct flat *f, unsigned line)
{
	if (!f->n_lines)
		return (struct flat_line){ f->n_files ? f->files[0] : NULL, 0 };
	if (line < 1)
		line = 1;
	if (line > f->n_lines)
		line = (unsigned)f->n_lines;
	return f->lines[line - 1];
}
