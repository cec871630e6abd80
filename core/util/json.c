/* SPDX-License-Identifier: GPL-3.0-or-later */
/* jansson without its traps. */
#include "core/util/json.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/util/strbuf.h"
#include "core/util/text.h"
#include "core/util/xalloc.h"

/* A lost value would be worse than no result at all. */
static _noreturn_ void js_die(const char *what)
{
	fprintf(stderr, "fstrial: error: cannot build JSON: %s\n", what);
	abort();
}

static json_t *js_need(json_t *v, const char *what)
{
	if (!v)
		js_die(what);
	return v;
}

json_t *js_object(void)
{
	return js_need(json_object(), "object");
}

json_t *js_array(void)
{
	return js_need(json_array(), "array");
}

/* Length of the UTF-8 sequence at s as RFC 3629 has it, 0 when there is none. */
static size_t js_utf8_len(const unsigned char *s, size_t n)
{
	unsigned char low = 0x80, high = 0xbf;
	size_t len;

	if (s[0] < 0x80)
		return 1;
	if (s[0] < 0xc2 || s[0] > 0xf4)
		return 0;
	len = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
	if (s[0] == 0xe0)
		low = 0xa0;
	else if (s[0] == 0xed)
		high = 0x9f;
	else if (s[0] == 0xf0)
		low = 0x90;
	else if (s[0] == 0xf4)
		high = 0x8f;
	if (n < len || s[1] < low || s[1] > high)
		return 0;
	for (size_t i = 2; i < len; i++) {
		if (s[i] < 0x80 || s[i] > 0xbf)
			return 0;
	}
	return len;
}

static void js_clean_utf8(struct strbuf *sb, const char *s, size_t n)
{
	while (n) {
		size_t len = js_utf8_len((const unsigned char *)s, n);

		if (len)
			strbuf_add(sb, s, len);
		else
			strbuf_addstr(sb, "\xef\xbf\xbd");
		s += len ? len : 1;
		n -= len ? len : 1;
	}
}

json_t *js_strn(const char *s, size_t n)
{
	_cleanup_strbuf_ struct strbuf clean = STRBUF_INIT;

	if (!s)
		return json_null();
	js_clean_utf8(&clean, s, n);
	return js_need(json_stringn(strbuf_str(&clean), clean.len), "string");
}

json_t *js_str(const char *s)
{
	return s ? js_strn(s, strlen(s)) : json_null();
}

json_t *js_real(double v)
{
	return isfinite(v) ? js_need(json_real(v), "real") : json_null();
}

json_t *js_u64(uint64_t v)
{
	if (v > INT64_MAX)
		return js_real((double)v);
	return js_need(json_integer((json_int_t)v), "integer");
}

json_t *js_bool(int v)
{
	return json_boolean(v);
}

json_t *js_set(json_t *object, const char *key, json_t *value)
{
	_cleanup_strbuf_ struct strbuf clean = STRBUF_INIT;

	js_need(value, key);
	js_clean_utf8(&clean, key, strlen(key));
	if (json_object_set_new(object, strbuf_str(&clean), value))
		js_die(key);
	return object;
}

json_t *js_push(json_t *array, json_t *value)
{
	js_need(value, "array element");
	if (json_array_append_new(array, value))
		js_die("array");
	return array;
}

json_t *js_setf(json_t *object, const char *key, const char *fmt, ...)
{
	_cleanup_free_ char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	return js_set(object, key, js_str(text));
}

const char *js_get_str(const json_t *object, const char *key, const char *absent)
{
	const json_t *v = json_object_get(object, key);

	return json_is_string(v) ? json_string_value(v) : absent;
}

uint64_t js_get_u64(const json_t *object, const char *key, uint64_t absent)
{
	const json_t *v = json_object_get(object, key);
	double real;

	if (json_is_integer(v))
		return json_integer_value(v) < 0 ? absent : (uint64_t)json_integer_value(v);
	if (!json_is_real(v))
		return absent;
	/* What js_u64() wrote as a real, or a whole number that another tool did. */
	real = json_real_value(v);
	if (!(real >= 0) || real > 0x1p64 || real != floor(real))
		return absent;
	return real >= 0x1p64 ? UINT64_MAX : (uint64_t)real;
}

double js_get_real(const json_t *object, const char *key, double absent)
{
	const json_t *v = json_object_get(object, key);

	return json_is_number(v) ? json_number_value(v) : absent;
}

/* Fewest digits that read back as the same double; always with a point or an exponent. */
static void js_dump_real(struct strbuf *sb, double v)
{
	char text[40], *comma;

	if (!isfinite(v)) { /* json_real_set() lets nobody in, but who knows */
		strbuf_addstr(sb, "null");
		return;
	}
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, v);
		if (strtod(text, NULL) == v)
			break;
	}
	comma = strchr(text, ',');
	if (comma) /* a locale's decimal point */
		*comma = '.';
	strbuf_addstr(sb, text);
	if (!strpbrk(text, ".e"))
		strbuf_addstr(sb, ".0");
}

/* The character at s, of *len bytes, with an escape where JSON asks for one, or where a terminal would obey it. */
static void js_dump_char(struct strbuf *sb, const char *s, size_t *len)
{
	static const char plain[] = "\b\f\n\r\t\"\\", escaped[] = "bfnrt\"\\";
	const char *at = *s ? strchr(plain, *s) : NULL;
	uint32_t c;
	bool harmful = text_is_harmful(s, len, &c);

	if (at)
		strbuf_addf(sb, "\\%c", escaped[at - plain]);
	else if (harmful)
		strbuf_addf(sb, "\\u%04x", (unsigned int)c);
	else
		strbuf_add(sb, s, *len);
}

static void js_dump_text(struct strbuf *sb, const char *s, size_t n)
{
	strbuf_addch(sb, '"');
	for (size_t i = 0, len; i < n; i += len) {
		for (len = 0; i + len < n && s[i + len] >= ' ' && s[i + len] < 0x7f && s[i + len] != '"' && s[i + len] != '\\';)
			len++;
		if (len)
			strbuf_add(sb, s + i, len);
		else
			js_dump_char(sb, s + i, &len);
	}
	strbuf_addch(sb, '"');
}

static void js_dump_value(struct strbuf *sb, const json_t *v);

static void js_dump_object(struct strbuf *sb, const json_t *v)
{
	json_t *object = NULL, *member;
	const char *key, *comma = "";

	memcpy(&object, &v, sizeof(object)); /* the iterator's interface has no const */
	strbuf_addch(sb, '{');
	json_object_foreach(object, key, member) {
		strbuf_addstr(sb, comma);
		js_dump_text(sb, key, strlen(key));
		strbuf_addch(sb, ':');
		js_dump_value(sb, member);
		comma = ",";
	}
	strbuf_addch(sb, '}');
}

static void js_dump_array(struct strbuf *sb, const json_t *v)
{
	strbuf_addch(sb, '[');
	for (size_t i = 0; i < json_array_size(v); i++) {
		if (i)
			strbuf_addch(sb, ',');
		js_dump_value(sb, json_array_get(v, i));
	}
	strbuf_addch(sb, ']');
}

static void js_dump_value(struct strbuf *sb, const json_t *v)
{
	switch (json_typeof(v)) {
	case JSON_OBJECT:
		js_dump_object(sb, v);
		break;
	case JSON_ARRAY:
		js_dump_array(sb, v);
		break;
	case JSON_STRING:
		js_dump_text(sb, json_string_value(v), json_string_length(v));
		break;
	case JSON_INTEGER:
		strbuf_addf(sb, "%" JSON_INTEGER_FORMAT, json_integer_value(v));
		break;
	case JSON_REAL:
		js_dump_real(sb, json_real_value(v));
		break;
	case JSON_TRUE:
		strbuf_addstr(sb, "true");
		break;
	case JSON_FALSE:
		strbuf_addstr(sb, "false");
		break;
	case JSON_NULL:
		strbuf_addstr(sb, "null");
		break;
	}
}

char *js_dump(const json_t *v)
{
	struct strbuf sb = STRBUF_INIT;

	if (!v)
		js_die("nothing to dump");
	js_dump_value(&sb, v);
	return strbuf_steal(&sb);
}

static void js_print_array(const json_t *array, FILE *out)
{
	json_t *v;
	size_t i;

	fputc('[', out);
	json_array_foreach(array, i, v)
	{
		_cleanup_free_ char *text = js_dump(v);

		fprintf(out, "%s\n%s", i ? "," : "", text);
	}
	fputs(i ? "\n]" : "]", out);
}

/* A failed write is found when the stream is flushed at the end. */
void js_print(const json_t *object, FILE *out)
{
	const char *key, *sep = "{";
	json_t *v;

	json_object_foreach((json_t *)object, key, v)
	{
		_cleanup_strbuf_ struct strbuf name = STRBUF_INIT;
		_cleanup_free_ char *text = NULL;

		js_dump_text(&name, key, strlen(key));
		fprintf(out, "%s\n%s: ", sep, strbuf_str(&name));
		sep = ",";
		if (json_is_array(v)) {
			js_print_array(v, out);
			continue;
		}
		text = js_dump(v);
		fputs(text, out);
	}
	fputs("\n}\n", out);
}

json_t *js_parse(const char *text, size_t len, const char *name, struct err *e)
{
	return js_parse_from(text, len, name, 1, e);
}

json_t *js_parse_from(const char *text, size_t len, const char *name, unsigned line, struct err *e)
{
	json_error_t where;
	json_t *v = json_loadb(text, len, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_ALLOW_NUL,
			       &where);

	if (!v)
		err_set(e, EINVAL, "%s:%d:%d: %s", name, where.line + (int)line - 1, where.column, where.text);
	return v;
}
