/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is gathered of a result document before it is folded: a section of findings. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/util/strbuf.h"
#include "core/util/vec.h"

/* Places of findings that belong to no trial. */
enum { FINDING_ONCE = -1, FINDING_SESSION = -2 };

struct finding_place {
	int64_t variant; /* its number in the document, or one of the above */
	uint32_t repeat;
};

struct finding {
	char *text;  /* of the first place */
	bool varies; /* other places have other numbers in it */
	VEC(struct finding_place) at;
};

struct section {
	const char *title;
	bool exact;    /* texts that differ in a number only are different */
	json_t *index; /* key -> number in v */
	struct finding *v;
	size_t n, cap;
};

/* Title and lines, where there is something to say; the places are sorted. */
void findings_section_format(struct section *s, const json_t *variants, bool all, size_t width, struct strbuf *out);
void findings_section_free(struct section *s);
