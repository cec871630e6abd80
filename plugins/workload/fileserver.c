/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Workload fileserver: creates, appends, reads, removes and looks at files of medium size. */
/* fstrial-libs: -lm */
#include "transactions.h"

static const struct fst_choice fileserver_flows[] = {
	{ "fileserver", TRANSACTIONS_FILESERVER,
	  "create one; append to one; read one; delete one; stat one (filebench)" },
};

static const struct fst_param fileserver_params[] = {
	{ .name = "flow",
	  .type = FST_ENUM,
	  TRANSACTIONS_AT(flow),
	  .def = "fileserver",
	  FST_CHOICES(fileserver_flows),
	  .doc = "What a transaction is." },
	TRANSACTIONS_PARAMS("1000", "10", "false", "false", "128KiB", "exponential"),
};

FSTRIAL_PLUGIN(.kind = FST_WORKLOAD, .name = "fileserver", .version = "1.0",
	       .summary = "creates, appends to, reads, removes and looks at files of medium size",
	       .description = "Each worker has a pool of files and does the loop of filebench's "
			      "fileserver on ones that it\n"
			      "takes at random: one is created and written, one is appended to, "
			      "one is read whole, one is\n"
			      "removed, one is looked at. Nothing is flushed unless fsync = true.\n"
			      "Traps: files is for each worker: filebench has 50 threads and 10000 "
			      "files for all of them, so\n"
			      "numjobs = 50 and files = 200. Without fsync and with a pool smaller "
			      "than the memory this\n"
			      "is a test of the page cache.",
	       FST_PARAMS(fileserver_params), TRANSACTIONS_CALLBACKS);
