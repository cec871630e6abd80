/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Workload mailpool: a mail server's transactions on many small files, each flushed. */
/* fstrial-libs: -lm */
#include "transactions.h"

static const struct fst_choice mailpool_flows[] = {
	{ "varmail", TRANSACTIONS_VARMAIL,
	  "delete one; create one; read and append to one; read one (filebench)" },
	{ "postmark", TRANSACTIONS_POSTMARK, "create or delete one, then read or append to one" },
};

static const struct fst_param mailpool_params[] = {
	{ .name = "flow",
	  .type = FST_ENUM,
	  TRANSACTIONS_AT(flow),
	  .def = "varmail",
	  FST_CHOICES(mailpool_flows),
	  .doc = "What a transaction is." },
	TRANSACTIONS_PARAMS("1000", "1", "true", "true", "16KiB", "exponential"),
	{ .name = "create_percent",
	  .type = FST_U64,
	  TRANSACTIONS_AT(create_percent),
	  .def = "50",
	  .max = "100",
	  .unit = "%",
	  .doc = "postmark: share of creations; the rest deletes." },
	{ .name = "read_percent",
	  .type = FST_U64,
	  TRANSACTIONS_AT(read_percent),
	  .def = "50",
	  .max = "100",
	  .unit = "%",
	  .doc = "postmark: share of reads; the rest appends." },
};

FSTRIAL_PLUGIN(.kind = FST_WORKLOAD, .name = "mailpool", .version = "1.0",
	       .summary = "a mail server's transactions on many small files, each flushed",
	       .description =
		       "Each worker has a pool of files and does transactions on ones that it "
		       "takes at random:\n"
		       "those of filebench's varmail, or postmark's. What is written is flushed "
		       "before it is\n"
		       "closed, as mail must be; the time of fsync is kept apart.\n"
		       "postmark's own sizes: size_distribution = uniform, size_min = 500B, "
		       "size_max =\n"
		       "9770B, fsync = false, numjobs = 1, files = 5000.\n"
		       "Traps: files is for each worker: filebench's varmail is numjobs = 16 and "
		       "1000 files for\n"
		       "all of them, so files = 62. Reads find what was written in the cache.",
	       FST_PARAMS(mailpool_params), TRANSACTIONS_CALLBACKS);
