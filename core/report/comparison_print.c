/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A comparison, in the format that is wanted. */
#include "core/report/comparison_print.h"

#include "core/report/comparison_formats.h"
#include "core/report/comparison_text.h"

const char *const report_format_names[] = { "text", "markdown", "csv", "json", "junit", NULL };

void report_print(const struct report *r, enum report_format format, bool all, FILE *out)
{
	switch (format) {
	case REPORT_TEXT:
		report_text(r, all, out);
		break;
	case REPORT_MARKDOWN:
		report_markdown(r, all, out);
		break;
	case REPORT_CSV:
		report_csv(r, out);
		break;
	case REPORT_JSON:
		report_json_print(r, out);
		break;
	case REPORT_JUNIT:
		report_junit(r, out);
		break;
	}
}
