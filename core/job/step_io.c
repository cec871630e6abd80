/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The I/O parameters that are small languages of their own: bssplit, random_distribution. */
#include "core/job/step_io.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "core/io/verify.h"
#include "core/param/number.h"
#include "core/plugin/element.h"
#include "core/plugin/registry.h"
#include "core/util/str.h"
#include "core/util/units.h"
#include "core/util/xalloc.h"

/* "VALUE/PERCENT:VALUE/PERCENT"; an empty percent takes an even part of what is left of 100. */
struct share {
	char *value;
	double percent; /* NaN: empty */
};

struct shares {
	struct share v[IO_MAX_SHARES];
	uint32_t n;
};

static void shares_free(struct shares *s)
{
	for (uint32_t i = 0; i < s->n; i++)
		free(s->v[i].value);
	s->n = 0;
}

static int shares_add(struct shares *s, const char *text, size_t len, struct err *e)
{
	const char *slash = memchr(text, '/', len);
	size_t value = slash ? (size_t)(slash - text) : len;
	struct share *share;
	char *percent;
	int r = 0;

	if (s->n == IO_MAX_SHARES)
		return err_set(e, EINVAL, "more than %d parts", IO_MAX_SHARES);
	share = &s->v[s->n++];
	share->value = xstrndup(text, value);
	share->percent = NAN;
	percent = slash ? xstrndup(slash + 1, len - value - 1) : NULL;
	if (percent && *percent)
		r = units_parse_f64(percent, &share->percent, e);
	free(percent);
	if (r == 0 && !isnan(share->percent) && (share->percent < 0 || share->percent > 100))
		r = err_set(e, EINVAL, "%g percent", share->percent);
	return r;
}

/* What the percents sum to must be 100. */
static int shares_fill(struct shares *s, struct err *e)
{
	uint32_t empty = 0;
	double sum = 0;

	for (uint32_t i = 0; i < s->n; i++) {
		empty += isnan(s->v[i].percent);
		sum += isnan(s->v[i].percent) ? 0 : s->v[i].percent;
	}
	if (sum > 100 + 1e-6 || (!empty && sum < 100 - 1e-6))
		return err_set(e, EINVAL, "its percentages sum to %g instead of 100", sum);
	for (uint32_t i = 0; i < s->n; i++) {
		if (isnan(s->v[i].percent))
			s->v[i].percent = (100 - sum) / empty;
	}
	return 0;
}

static int shares_parse(struct shares *s, const char *text, struct err *e)
{
	int r = 0;

	s->n = 0;
	do {
		size_t len = strcspn(text, ":");

		r = shares_add(s, text, len, e);
		text += len;
	} while (r == 0 && *text++ == ':');
	return r ? r : shares_fill(s, e);
}

static int bssplit_share(struct fst_bs_share *out, const struct share *in,
			 const struct param_names *names, struct err *e)
{
	int r = number_parse_size(in->value, names, &out->bs, e);

	if (r < 0)
		return r;
	if (!out->bs || out->bs > 1ULL << 30)
		return err_set(e, EINVAL, "\"%s\" is not between 1B and 1GiB", in->value);
	out->percent = (uint32_t)lround(in->percent);
	if (fabs(in->percent - out->percent) > 1e-6)
		return err_set(e, EINVAL, "%g percent: whole percents are needed", in->percent);
	return 0;
}

static int bssplit_read(struct io_params *io, const struct param_names *names, struct err *e)
{
	struct shares s;
	int r;

	if (strchr(io->bssplit, ','))
		return err_set(e, EINVAL, "one split serves reads and writes: no comma");
	r = shares_parse(&s, io->bssplit, e);
	for (uint32_t i = 0; r == 0 && i < s.n; i++)
		r = bssplit_share(&io->shares[i], &s.v[i], names, e);
	io->n_shares = r ? 0 : s.n;
	shares_free(&s);
	return r;
}

static int zones_read(struct io_random *out, const char *text, struct err *e)
{
	double sum = 0;
	struct shares s;
	int r = shares_parse(&s, text, e);

	/* "access/size": the first number is the one that shares_parse() took for a value. */
	for (uint32_t i = 0; r == 0 && i < s.n; i++) {
		out->zones[i].size = s.v[i].percent;
		r = units_parse_f64(s.v[i].value, &out->zones[i].access, e);
		if (r == 0 && (out->zones[i].access < 0 || out->zones[i].access > 100))
			r = err_set(e, EINVAL, "%g percent", out->zones[i].access);
		sum += out->zones[i].access;
	}
	if (r == 0 && fabs(sum - 100) > 1e-6)
		r = err_set(e, EINVAL, "its accesses sum to %g percent instead of 100", sum);
	out->n_zones = s.n;
	shares_free(&s);
	return r;
}

static const struct {
	const char *name;
	int kind;
	double def; /* 0: must be given */
	double over, most;
	const char *what;
} distributions[] = {
	{ "zipf", IO_ZIPF, 1.1, 0, 100, "theta above 0" },
	{ "pareto", IO_PARETO, 0.2, 0, 1, "a share between 0 and 1" },
	{ "normal", IO_NORMAL, 0, 0, 100, "a standard deviation in percent of the blocks" },
};

static int distribution_read(struct io_random *out, const char *text, struct err *e)
{
	const size_t len = strcspn(text, ":");
	const char *arg = text[len] ? text + len + 1 : NULL;

	*out = (struct io_random){ .kind = IO_UNIFORM };
	if (str_eq(text, "random"))
		return 0;
	if (!strncmp(text, "zoned:", len + 1)) {
		out->kind = IO_ZONED;
		return zones_read(out, arg, e);
	}
	for (size_t i = 0; i < ARRAY_SIZE(distributions); i++) {
		if (strncmp(text, distributions[i].name, len) || distributions[i].name[len])
			continue;
		out->kind = distributions[i].kind;
		out->theta = distributions[i].def;
		if (arg && units_parse_f64(arg, &out->theta, e) < 0)
			return -e->code;
		if (out->theta > distributions[i].over && out->theta <= distributions[i].most &&
		    !(out->kind == IO_PARETO && out->theta >= 1))
			return 0;
		return err_set(e, EINVAL, "%s needs %s", distributions[i].name,
			       distributions[i].what);
	}
	return err_set(e, EINVAL,
		       "is none of random, zipf:THETA, pareto:H, normal:PERCENT, zoned:A/S:A/S...");
}

static void rates_check(struct step_work *w)
{
	const struct io_params *io = &w->out->io;

	if (io->rate && io->rate_iops)
		step_fail(w, "rate_iops",
			  "rate_iops: rate is given, too; one of them says when "
			  "the next I/O is due");
	if (io->thinktime_ns && (io->rate || io->rate_iops))
		step_fail(w, "thinktime", "thinktime: a rate says when the next I/O is due");
	if (step_is_given(w, "rate_process") && !io->rate && !io->rate_iops)
		step_fail(w, "rate_process", "rate_process: there is no rate or rate_iops");
	if (step_is_given(w, "thinktime_blocks") && !io->thinktime_ns)
		step_fail(w, "thinktime_blocks", "thinktime_blocks: there is no thinktime");
}

static void syncs_check(struct step_work *w)
{
	const struct io_params *io = &w->out->io;

	if (io->fsync && io->fdatasync)
		step_fail(w, "fdatasync", "fdatasync: fsync is given, too; one of them flushes what was written");
}

static int hex_digit(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = c ? strchr(digits, c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c) : NULL;

	return at ? (int)(at - digits) : -1;
}

static int pattern_read(struct io_params *io, struct err *e)
{
	const char *text = io->buffer_pattern;
	const bool hex = !strncmp(text, "0x", 2);
	const size_t len = strlen(text) - (hex ? 2 : 0), n = hex ? len / 2 : len;

	if (!len || n > IO_MAX_PATTERN)
		return err_set(e, EINVAL, "%zu bytes: 1 to %d are needed", n, IO_MAX_PATTERN);
	if (hex && len % 2)
		return err_set(e, EINVAL, "half a byte: an even number of digits is needed");
	for (size_t i = 0; i < n; i++) {
		const int high = hex ? hex_digit(text[2 + 2 * i]) : 0;
		const int low = hex ? hex_digit(text[3 + 2 * i]) : 0;

		if (high < 0 || low < 0)
			return err_set(e, EINVAL, "not all hexadecimal digits after 0x");
		io->pattern[i] = (unsigned char)(hex ? high << 4 | low : text[i]);
	}
	io->n_pattern = (uint32_t)n;
	return 0;
}

static void buffers_params(struct step_work *w)
{
	struct io_params *io = &w->out->io;
	struct err e = { 0 };

	if (io->buffer_compress_percentage && io->buffers != IO_BUFFERS_RANDOM)
		step_fail(
			w, "buffer_compress_percentage",
			"buffer_compress_percentage: only buffers = \"random\" has a random part");
	if (io->buffer_pattern && io->buffers != IO_BUFFERS_PATTERN)
		step_fail(w, "buffer_pattern", "buffer_pattern: is of buffers = \"pattern\" only");
	if (io->buffers == IO_BUFFERS_PATTERN && !io->buffer_pattern)
		step_fail(w, "buffers", "buffers = \"pattern\": needs a buffer_pattern");
	if (io->buffer_pattern && pattern_read(io, &e) < 0)
		step_fail(w, "buffer_pattern", "buffer_pattern = \"%s\": %s", io->buffer_pattern,
			  e.text);
}

static void verify_params(struct step_work *w)
{
	const struct io_params *io = &w->out->io;
	uint64_t block = verify_block(io);
	struct fst_engine_ops ops;

	if (io->verify == IO_VERIFY_NONE)
		return;
	if (block < VERIFY_MIN_BLOCK)
		step_fail(
			w, "verify",
			"verify: block sizes and offsets have no common divisor of 4KiB that is at "
			"least %dB: %lluB",
			VERIFY_MIN_BLOCK, (unsigned long long)block);
	if (!w->out->engine || !w->out->engine->desc.engine)
		return;
	element_engine(w->out->engine->desc.engine, &ops);
	if (ops.flags & FST_ENGINE_NO_FILES)
		step_fail(w, "verify", "verify: engine %s touches no file",
			  w->out->engine->desc.name);
}

void step_check_io(struct step_work *w)
{
	struct io_params *io = &w->out->io;
	struct err e = { 0 };

	if (io->bssplit && !step_is_bad(w, "bssplit") && bssplit_read(io, &w->job->names, &e) < 0)
		step_fail(w, "bssplit", "bssplit = \"%s\": %s", io->bssplit, e.text);
	rates_check(w);
	syncs_check(w);
	buffers_params(w);
	verify_params(w);
	err_clear(&e);
	if (io->random_distribution && !step_is_bad(w, "random_distribution") &&
	    distribution_read(&io->random, io->random_distribution, &e) < 0)
		step_fail(w, "random_distribution", "random_distribution = \"%s\": %s",
			  io->random_distribution, e.text);
	else if (io->random.kind != IO_UNIFORM && step_is_given(w, "norandommap") &&
		 !io->norandommap)
		step_fail(w, "norandommap",
			  "norandommap = false: with random_distribution = \"%s\" blocks come "
			  "again",
			  io->random_distribution);
}
