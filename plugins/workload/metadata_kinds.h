/* SPDX-License-Identifier: GPL-3.0-or-later */
/* metadata: the kinds of operation, their metrics, and what a phase of each does to the files. */
#pragma once

#include <fstrial/plugin.h>

/* X(KIND, name, doc): phases that do one kind of operation each. */
#define METADATA_KINDS(X)                                                                        \
	X(CREATE, create, "Makes one new file, writes its data, closes it, flushes it as asked")  \
	X(STAT, stat, "Asks for the attributes of one file")                                      \
	X(READ, open_read_close, "Opens one file, reads it whole, closes it")                     \
	X(READDIR, readdir, "Reads all names of one directory")                                   \
	X(APPEND, append, "Opens one file, adds append_size bytes at its end, closes it")          \
	X(RENAME, rename, "Gives one file another name in its directory")                         \
	X(LINK, link, "Gives one file a second name")                                             \
	X(SYMLINK, symlink, "Makes one symbolic link to a file")                                  \
	X(CHMOD, chmod, "Changes the permissions of one file")                                    \
	X(UTIMENS, utimens, "Sets the times of one file")                                         \
	X(SETXATTR, setxattr, "Sets one extended attribute of one file")                          \
	X(GETXATTR, getxattr, "Reads that attribute of one file")                                 \
	X(TRUNCATE, truncate, "Sets the size of one file to truncate_size")                       \
	X(MKDIR, mkdir, "Makes one empty directory")                                              \
	X(RMDIR, rmdir, "Removes one empty directory")                                            \
	X(UNLINK, unlink, "Removes one file")                                                     \
	X(UNLINK_LINK, unlink_link, "Removes one second name, the file stays")                    \
	X(UNLINK_SYMLINK, unlink_symlink, "Removes one symbolic link")

enum metadata_kind {
#define METADATA_ENUM(kind, name, doc) METADATA_##kind,
	METADATA_KINDS(METADATA_ENUM)
#undef METADATA_ENUM
	METADATA_N_KINDS,
	METADATA_MIX = METADATA_N_KINDS, /* a phase, of several kinds of operation */
	METADATA_N_PHASES,
	/* Timed as parts of others. */
	METADATA_FSYNC = METADATA_N_KINDS,
	METADATA_FSYNC_DIR,
	METADATA_SYNCFS,
	METADATA_N_OPS,
};

enum metadata_flag {
	METADATA_USES = 1u << 0,     /* files must be there */
	METADATA_CHANGES = 1u << 1,  /* there is something to be flushed after it */
	METADATA_NAMES = 1u << 2,    /* a directory is changed */
	METADATA_GROWS = 1u << 3,    /* as many as one likes */
	METADATA_CONSUMES = 1u << 4, /* what is gone cannot be done again */
	METADATA_EXTENDS = 1u << 5,  /* gone round again until min_time is over: does no harm */
};

static const struct {
	const char *name;
	uint32_t flags;
} metadata_phases[METADATA_N_PHASES] = {
	[METADATA_CREATE] = { "create", METADATA_CHANGES | METADATA_NAMES | METADATA_GROWS },
	[METADATA_STAT] = { "stat", METADATA_USES | METADATA_EXTENDS },
	[METADATA_READ] = { "open_read_close", METADATA_USES | METADATA_EXTENDS },
	[METADATA_READDIR] = { "readdir", METADATA_USES | METADATA_EXTENDS },
	[METADATA_APPEND] = { "append", METADATA_USES | METADATA_CHANGES },
	[METADATA_RENAME] = { "rename", METADATA_USES | METADATA_CHANGES | METADATA_NAMES },
	[METADATA_LINK] = { "link", METADATA_USES | METADATA_CHANGES | METADATA_NAMES | METADATA_GROWS },
	[METADATA_SYMLINK] = { "symlink",
			       METADATA_USES | METADATA_CHANGES | METADATA_NAMES | METADATA_GROWS },
	[METADATA_CHMOD] = { "chmod", METADATA_USES | METADATA_CHANGES | METADATA_EXTENDS },
	[METADATA_UTIMENS] = { "utimens", METADATA_USES | METADATA_CHANGES | METADATA_EXTENDS },
	[METADATA_SETXATTR] = { "setxattr", METADATA_USES | METADATA_CHANGES },
	[METADATA_GETXATTR] = { "getxattr", METADATA_USES | METADATA_EXTENDS },
	[METADATA_TRUNCATE] = { "truncate", METADATA_USES | METADATA_CHANGES },
	[METADATA_MKDIR] = { "mkdir", METADATA_CHANGES | METADATA_NAMES | METADATA_GROWS },
	[METADATA_RMDIR] = { "rmdir", METADATA_CHANGES | METADATA_NAMES | METADATA_CONSUMES },
	[METADATA_UNLINK] = { "unlink",
			      METADATA_USES | METADATA_CHANGES | METADATA_NAMES | METADATA_CONSUMES },
	[METADATA_UNLINK_LINK] = { "unlink_link",
				   METADATA_CHANGES | METADATA_NAMES | METADATA_CONSUMES },
	[METADATA_UNLINK_SYMLINK] = { "unlink_symlink",
				      METADATA_CHANGES | METADATA_NAMES | METADATA_CONSUMES },
	[METADATA_MIX] = { "mix", METADATA_USES | METADATA_CHANGES | METADATA_NAMES },
};

/* X(KIND, name, default weight): those that a mix can have. */
#define METADATA_MIXABLE(X)                                                                      \
	X(CREATE, create, "20")                                                                   \
	X(STAT, stat, "30")                                                                       \
	X(READ, open_read_close, "20")                                                            \
	X(READDIR, readdir, "0")                                                                  \
	X(APPEND, append, "5")                                                                    \
	X(RENAME, rename, "5")                                                                    \
	X(CHMOD, chmod, "0")                                                                      \
	X(UTIMENS, utimens, "0")                                                                  \
	X(SETXATTR, setxattr, "0")                                                                \
	X(TRUNCATE, truncate, "0")                                                                \
	X(UNLINK, unlink, "20")

enum {
#define METADATA_COUNT(kind, name, def) METADATA_MIXES_##kind,
	METADATA_MIXABLE(METADATA_COUNT)
#undef METADATA_COUNT
	METADATA_N_MIXABLE
};

static const uint8_t metadata_mixable[METADATA_N_MIXABLE] = {
#define METADATA_ENTRY(kind, name, def) METADATA_##kind,
	METADATA_MIXABLE(METADATA_ENTRY)
#undef METADATA_ENTRY
};

#define METADATA_RATE(kind, op, text)                                                            \
	{ .name = #op "_rate", .unit = "ops/s", .better = FST_HIGHER, .flags = FST_PRIMARY,       \
	  .doc = text "; by all workers a second, in the time from the phase's common start to "   \
		      "its last end." },
#define METADATA_CPU(kind, op, text)                                                             \
	{ .name = #op "_cpu", .unit = "ns", .better = FST_LOWER,                                  \
	  .doc = "User and system time of the workers for one operation of the phase " #op "." },

static const struct fst_metric metadata_metrics[] = {
	METADATA_KINDS(METADATA_RATE)
	METADATA_RATE(MIX, mix, "Operations of the mix, of whatever kind")
	METADATA_KINDS(METADATA_CPU)
	METADATA_CPU(MIX, mix, "")
	{ .name = "readdir_entries_rate", .unit = "ops/s", .better = FST_HIGHER,
	  .doc = "Names that readdir gave in a second, to all workers." },
	{ .name = "fairness", .unit = "ratio", .better = FST_HIGHER,
	  .doc = "Rate of the slowest worker by that of the fastest, in the phase where it is worst; "
		 "1 with one worker." },
};

#define METADATA_OP(kind, op, text) [METADATA_##kind] = { .name = #op, .doc = text "." },

static const struct fst_op_kind metadata_ops[] = {
	METADATA_KINDS(METADATA_OP)
	[METADATA_FSYNC] = { .name = "fsync", .flags = FST_OP_INNER, .doc = "Flushes one file." },
	[METADATA_FSYNC_DIR] = { .name = "fsync_dir", .flags = FST_OP_INNER,
				 .doc = "Flushes the directory of one file." },
	[METADATA_SYNCFS] = { .name = "syncfs", .flags = FST_OP_INNER,
			      .doc = "Flushes the file system at the end of a phase." },
};
