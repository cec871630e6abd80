/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The live line, and a line a trial. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "core/run/progress.h"
#include "core/util/clock.h"
#include "core/util/text.h"
#include "core/util/units.h"
#include "core/util/xalloc.h"

void progress_begin(struct progress *p, bool quiet, uint64_t trials)
{
	*p = (struct progress){
		.quiet = quiet,
		.terminal = isatty(STDERR_FILENO) == 1,
		.trials = trials,
		.started_ns = clock_now_ns(),
	};
}

void progress_trial(struct progress *p, char *text)
{
	free(p->trial);
	/* Values of a job may be anything, and this goes to a terminal. */
	p->trial = text_clean(text);
	free(text);
	progress_step(p, NULL, NULL, 0);
}

void progress_step(struct progress *p, const char *name, struct live *const *lives, size_t n)
{
	p->step = name;
	p->lives = lives;
	p->n_lives = n;
	p->last_bytes = p->last_ops = 0;
	p->last_ns = clock_now_ns();
}

/* The sum over all; the phase of the one that is furthest behind. */
static int live_sum(const struct progress *p, uint64_t *ops, uint64_t *bytes)
{
	int phase = LIVE_END;

	*ops = *bytes = 0;
	for (size_t k = 0; k < p->n_lives; k++) {
		const struct live *l = p->lives[k];

		phase = MIN(phase, live_get(l->phase));
		for (uint32_t i = 0; i < live_get(l->n_workers); i++) {
			*bytes += live_get(l->w[i].bytes);
			*ops += live_get(l->w[i].ops);
		}
	}
	return phase;
}

static void live_rate(struct progress *p, char *buf, size_t size)
{
	uint64_t bytes, ops, now = clock_now_ns();
	double seconds = (double)(now - p->last_ns) / (double)NSEC_PER_SEC;
	static const char *const phases[] = {
		"start", "prepare", "ready", "ramp", "run", "verify", "cleanup", "end"
	};
	int phase = live_sum(p, &ops, &bytes);
	char rate[48];

	if (bytes)
		units_format_metric((double)(bytes - p->last_bytes) / seconds, "bytes/s", rate, sizeof(rate));
	else
		units_format_metric((double)(ops - p->last_ops) / seconds, "ops/s", rate, sizeof(rate));
	snprintf(buf, size, " %s %s", (size_t)phase < ARRAY_SIZE(phases) ? phases[phase] : "", rate);
	p->last_bytes = bytes;
	p->last_ops = ops;
	p->last_ns = now;
}

static void eta(const struct progress *p, char *buf, size_t size)
{
	double spent = (double)(clock_now_ns() - p->started_ns) / (double)NSEC_PER_SEC, left;

	buf[0] = '\0';
	if (!p->done)
		return;
	left = spent / (double)p->done * (double)(p->trials - p->done);
	snprintf(buf, size, ", %ld:%02ld left", (long)left / 60, (long)left % 60);
}

static void clear_line(struct progress *p)
{
	if (p->line_shown)
		fputs("\r\033[K", stderr);
	p->line_shown = false;
}

void progress_tick(void *arg)
{
	struct progress *p = arg;
	struct winsize ws = { .ws_col = 80 };
	char rate[96] = "", left[32], line[512];
	size_t width;

	if (p->quiet || !p->terminal || !p->trial)
		return;
	if (p->n_lives)
		live_rate(p, rate, sizeof(rate));
	eta(p, left, sizeof(left));
	ioctl(STDERR_FILENO, TIOCGWINSZ, &ws);
	width = ws.ws_col > 1 ? (size_t)ws.ws_col - 1 : 79;
	snprintf(line, sizeof(line), "[%llu/%llu%s] %s: %s%s", (unsigned long long)p->done + 1,
		 (unsigned long long)p->trials, left, p->trial, p->step ? p->step : "", rate);
	fprintf(stderr, "\r\033[K%.*s", (int)text_fit(line, width), line);
	fflush(stderr);
	p->line_shown = true;
}

void progress_trial_end(struct progress *p, const char *status, const char *text)
{
	_cleanup_free_ char *clean = text_clean(text);

	p->done++;
	p->n_lives = 0;
	if (p->quiet)
		return;
	clear_line(p);
	fprintf(stderr, "[%llu/%llu] %s: %s%s%s\n", (unsigned long long)p->done, (unsigned long long)p->trials,
		p->trial, status, *clean ? ", " : "", clean);
}

void progress_end(struct progress *p)
{
	clear_line(p);
	free(p->trial);
	p->trial = NULL;
}
