/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plugins/setup/mkfs: command lines, refusals, the tool's own words. */
#include <CUnit/CUnit.h>
#include <unistd.h>

#define FSTRIAL_STATIC mkfs
#include "plugins/setup/mkfs.c"
#include "tests/unit/mkfs_fixture.h"

void test_plugin_mkfs(void);

static void test_mkfs_argv(void)
{
	static const struct {
		const char *params, *argv;
	} rows[] = {
		{ "fs=xfs", "mkfs.xfs -f -L fstrial /dev/loop9" },
		{ "fs=xfs;label=", "mkfs.xfs -f /dev/loop9" },
		{ "type=xfs;discard=false;agcount=4",
		  "mkfs.xfs -f -K -d agcount=4 -L fstrial /dev/loop9" },
		{ "fs=xfs;agsize=512MiB;su=64KiB;sw=4;log_size=64MiB;log_su=32KiB",
		  "mkfs.xfs -f -d agsize=536870912,su=65536,sw=4 -l size=67108864,su=32768 -L "
		  "fstrial /dev/loop9" },
		{ "fs=xfs;sunit=64KiB;swidth=256KiB",
		  "mkfs.xfs -f -d sunit=128,swidth=512 -L fstrial /dev/loop9" },
		{ "fs=xfs;reflink=0;rmapbt=1;bigtime=0;finobt=1;block_size=4KiB;inode_size=1KiB;"
		  "sector_size=4KiB;naming_size=8KiB",
		  "mkfs.xfs -f -m reflink=0,rmapbt=1,bigtime=0,finobt=1 -b size=4096 -s size=4096 "
		  "-i size=1024 -n size=8192 -L fstrial /dev/loop9" },
		{ "fs=xfs;options=-p \"a b\" -i 'maxpct=5'",
		  "mkfs.xfs -f -p a b -i maxpct=5 -L fstrial /dev/loop9" },
		{ "fs=xfs;features=perblock=8;features=i:newkey=1;features=noalign;maxpct=0;uuid="
		  "01234567-89ab-cdef-0123-456789abcdef;crc=0",
		  "mkfs.xfs -f -m uuid=01234567-89ab-cdef-0123-456789abcdef,crc=0 -d noalign -i "
		  "maxpct=0,perblock=8,newkey=1 -L fstrial /dev/loop9" },
		{ "fs=xfs;size=1GiB;log_version=2;log_sector_size=4KiB;log_agnum=1;lazy_count=1;"
		  "naming_version=ci;ftype=1;sparse=0;nrext64=0;projid32bit=1;attr=2",
		  "mkfs.xfs -f -d size=1073741824 -i sparse=0,nrext64=0,projid32bit=1,attr=2 -l "
		  "version=2,sectsize=4096,agnum=1,lazy-count=1 -n "
		  "version=ci,ftype=1 -L fstrial /dev/loop9" },
		{ "fs=ext4;features=^metadata_csum,64bit;features=quota;options=-O "
		  "bigalloc;inodes=1000;"
		  "reserved_percent=0.5;usage_type=news;flex_bg_groups=32;size=512MiB",
		  "mkfs.ext4 -F -q -t ext4 -N 1000 -G 32 -m 0.5 -T news -E "
		  "lazy_itable_init=0,lazy_journal_init=0 -O ^metadata_csum,64bit,quota,bigalloc "
		  "-L "
		  "fstrial /dev/loop9 524288k" },
		{ "fs=ext4;lazy=true;inode_ratio=64KiB;cluster_size=64KiB",
		  "mkfs.ext4 -F -q -t ext4 -C 65536 -i 65536 -L fstrial /dev/loop9" },
		{ "fs=btrfs", "mkfs.btrfs -f -L fstrial /dev/loop9" },
		{ "fs=btrfs;discard=false;node_size=32KiB;sector_size=4KiB;data=single;metadata="
		  "dup;"
		  "checksum=xxhash;features=mixed-bg;features=^no-holes;size=1GiB;options=-q",
		  "mkfs.btrfs -f -K -s 4096 -b 1073741824 -n 32768 -d single -m dup --csum xxhash "
		  "-O "
		  "mixed-bg,^no-holes -q -L fstrial /dev/loop9" },
		{ "fs=btrfs;devices=target.2;devices=/dev/loop11;data=raid0;metadata=raid1",
		  "mkfs.btrfs -f -d raid0 -m raid1 -L fstrial /dev/loop9 /dev/loop10 /dev/loop11" },
		{ "fs=ext4",
		  "mkfs.ext4 -F -q -t ext4 -E lazy_itable_init=0,lazy_journal_init=0 -L fstrial "
		  "/dev/loop9" },
		{ "fs=ext2;lazy_init=true", "mkfs.ext4 -F -q -t ext2 -L fstrial /dev/loop9" },
		{ "fs=ext4;lazy_init=true;discard=false;block_size=4KiB;inode_size=256;stride="
		  "64KiB;stripe_width=256KiB;journal_size=64MiB",
		  "mkfs.ext4 -F -q -t ext4 -b 4096 -I 256 -J size=64 -E "
		  "nodiscard,stride=16,stripe_width=64 "
		  "-L fstrial /dev/loop9" },
		{ "fs=ext4;options=-E packed_meta_blocks=1 -Equotatype=usrquota -O ^metadata_csum",
		  "mkfs.ext4 -F -q -t ext4 -E "
		  "lazy_itable_init=0,lazy_journal_init=0,packed_meta_blocks=1,"
		  "quotatype=usrquota -O ^metadata_csum -L fstrial /dev/loop9" },
	};
	size_t i;

	for (i = 0; i < FST_COUNT(rows); i++) {
		struct fake_host *h = mkfs_host(rows[i].params);

		CU_ASSERT_EQUAL(mkfs_probe(&h->ctx), 0);
		CU_ASSERT_EQUAL(mkfs_check(&h->ctx), 0);
		CU_ASSERT_EQUAL(mkfs_apply(&h->ctx), 0);
		mkfs_expect(rows[i].params, fake_host_find(&h->commands, ""), rows[i].argv);
		CU_ASSERT_PTR_NOT_NULL(fake_host_find(&h->notes, "command"));
		fake_host_free(h);
	}
}

static void test_mkfs_check(void)
{
	static const struct {
		const char *params, *error;
	} rows[] = {
		{ "fs=xfs;sunit=1000;swidth=2000", "sunit is not a multiple of 512 bytes" },
		{ "fs=xfs;stride=64KiB;block_size=4KiB", "stride is for ext4, not xfs" },
		{ "fs=xfs;lazy_init=true", "lazy_init is for ext4, not xfs" },
		{ "fs=ext4;agcount=4", "agcount is for xfs, not ext4" },
		{ "fs=btrfs;agcount=4", "agcount is for xfs, not btrfs" },
		{ "fs=xfs;data=single", "data is for btrfs, not xfs" },
		{ "fs=ext4;config=lts_5.15", "config is for xfs, not ext4" },
		{ "fs=xfs;devices=target.2", "devices is for btrfs, not xfs" },
		{ "fs=btrfs;logdev=target.2", "logdev is for xfs, not btrfs" },
		{ "fs=ext2;logdev=target.2", "logdev: ext2 has no journal" },
		{ "fs=xfs;logdev=target.2;log_agnum=1",
		  "log_agnum is for a log inside, and logdev names a device for it" },
		{ "fs=xfs;config=./my.conf",
		  "config: expects a full path, or the bare name of a file of xfsprogs" },
		{ "fs=xfs;config=/a,logdev=/b.conf", "config: a path with a comma or an equals "
						     "sign, or a very long one, cannot be given "
						     "to mkfs.xfs" },
		{ "fs=btrfs;devices=target.2;devices=target.2",
		  "devices: target.2 is named twice" },
		{ "fs=xfs;uuid=generate", "uuid: \"generate\" is none" },
		{ "fs=xfs;features=reflink=1",
		  "features: \"reflink=1\": there is the parameter reflink for it" },
		{ "fs=xfs;features=lazy-count=1",
		  "features: \"lazy-count=1\": there is the parameter lazy_count for it" },
		{ "fs=xfs;features=newkey=1", "features: \"newkey=1\": not known; with its option "
					      "in front, as \"i:newkey=1\", it "
					      "is given to mkfs.xfs all the same" },
		{ "fs=xfs;features=l:logdev=target.2",
		  "features: logdev names another place; only the job's target may be formatted" },
		{ "fs=xfs;features=perblock=8,name=x",
		  "features: \"perblock=8,name=x\": expects key or "
		  "key=value" },
		{ "fs=ext4;features=journal_dev=1", "features: \"journal_dev=1\": expects names, "
						    "with ^ in front of those that are to be "
						    "off" },
		{ "fs=ext4;usage_type=news -n", "usage_type: expects names, separated by commas" },
		{ "fs=ext4;stride=6KiB;block_size=4KiB", "stride is not a multiple of block_size" },
		{ "fs=ext4;journal_size=1000KiB", "journal_size is not a whole number of MiB" },
		{ "fs=ext2;journal_size=4MiB", "journal_size: ext2 has no journal" },
		{ "fs=xfs;label=thirteen.long", "label: at most 12 bytes for xfs" },
		{ "fs=xfs;options=-d 'agcount=4", "options: a quote is not closed" },
	};
	size_t i;

	for (i = 0; i < FST_COUNT(rows); i++) {
		struct fake_host *h = mkfs_host(rows[i].params);

		CU_ASSERT_EQUAL(mkfs_check(&h->ctx), -EINVAL);
		mkfs_expect(rows[i].params, h->error, rows[i].error);
		fake_host_free(h);
	}
}

/* What the tool will refuse is no error of the job's: the plan warns, the other variants run. */
static void test_mkfs_estimate(void)
{
	static const struct {
		const char *params, *size, *warning;
	} rows[] = {
		{ "fs=xfs;agcount=4;agsize=64MiB", "1073741824",
		  "agcount together with agsize will be refused by the tool" },
		{ "fs=xfs;su=64KiB", "1073741824", "su without sw will be refused by the tool" },
		{ "fs=xfs;sunit=64KiB;swidth=96KiB", "1073741824",
		  "swidth is not a multiple of sunit" },
		{ "fs=xfs;log_version=1", "1073741824", "log_version = 1 needs crc = 0" },
		{ "fs=ext4;stride=64KiB;stripe_width=96KiB;block_size=4KiB", "1073741824",
		  "stripe_width is not a multiple of stride" },
		{ "fs=xfs", "209715200",
		  "mkfs.xfs needs at least 300 MiB, the target has 200 MiB" },
		{ "fs=xfs", "314572800", NULL },
		{ "fs=ext4", "209715200", NULL },
	};
	size_t i;

	for (i = 0; i < FST_COUNT(rows); i++) {
		struct fake_host *h = mkfs_host(rows[i].params);
		struct fst_estimate est = { .struct_size = sizeof(est) };

		fake_host_fact(h, "device.size", rows[i].size);
		CU_ASSERT_EQUAL(mkfs_check(&h->ctx), 0);
		CU_ASSERT_EQUAL(mkfs_estimate(&h->ctx, &est), 0);
		CU_ASSERT(est.time_ns > 0);
		if (rows[i].warning)
			mkfs_expect(rows[i].params, h->warnings.n ? h->warnings.v[0].value : NULL,
				    rows[i].warning);
		else
			CU_ASSERT_EQUAL(h->warnings.n, 0);
		fake_host_free(h);
	}
}

/* No way may lead to another device: by form in check. */
static void test_mkfs_other_device(void)
{
	static const char *const refused[] = {
		"/dev/sdb1",
		"-l logdev=/dev/sdb1",
		"-llogdev=log.img,size=10m",
		"-l logdev=log.img",
		"-d name=/tmp/x",
		"-fdname=x",
		"-d file=1,name=x",
		"-r rtdev=x",
		"-J device=LABEL=journal",
		"-J device=UUID=1",
		"-J size=4,device=x",
		"-p /../dev/sdb",
		"'-l' \"logdev\"=x",
		/* a word between options is one more place to the tool */
		"disk.img",
		"-K disk.img",
		"-fK -d agcount=4 disk.img",
		"--",
		"-q -",
		"''",
	};
	static const char *const fine[] = {
		"-d agcount=4",
		"-n version=2",
		"-L name",
		"-O ^has_journal",
		"-c options=/dev_/lts.conf",
		"-qK -d agcount=4 -V",
	};
	char params[128];
	size_t i;

	for (i = 0; i < FST_COUNT(refused) + FST_COUNT(fine); i++) {
		bool bad = i < FST_COUNT(refused);
		struct fake_host *h = mkfs_host("fs=xfs");

		snprintf(params, sizeof(params), "%s",
			 bad ? refused[i] : fine[i - FST_COUNT(refused)]);
		fake_host_param(h, "options", params);
		if (mkfs_check(&h->ctx) != (bad ? -EINVAL : 0))
			fprintf(stderr, "options = %s\n", params);
		CU_ASSERT_EQUAL(mkfs_check(&h->ctx), bad ? -EINVAL : 0);
		fake_host_free(h);
	}
}

static void test_mkfs_words(void)
{
	static const struct {
		const char *fs, *options, *error;
	} rows[] = {
		{ "fs=btrfs", "disk.img",
		  "options: \"disk.img\" is no option: only the job's target may be formatted" },
		{ "fs=btrfs", "--mixed disk.img",
		  "options: \"disk.img\" is no option: only the job's target may be formatted" },
		{ "fs=btrfs", "--data=single disk.img",
		  "options: \"disk.img\" is no option: only the job's target may be formatted" },
		{ "fs=btrfs", "--data single --nodis -qKm dup -r tree", NULL },
		{ "fs=ext4", "-cc -vi 8192 -d tree", NULL },
		{ "fs=ext4", "-vz undo",
		  "options: -z names a file to write on, which nobody would remove again" },
		{ "fs=ext4", "-v 1000",
		  "options: \"1000\" is no option: only the job's target may be formatted" },
	};
	size_t i;

	for (i = 0; i < FST_COUNT(rows); i++) {
		struct fake_host *h = mkfs_host(rows[i].fs);

		fake_host_param(h, "options", rows[i].options);
		CU_ASSERT_EQUAL(mkfs_check(&h->ctx), rows[i].error ? -EINVAL : 0);
		mkfs_expect(rows[i].options, h->error, rows[i].error);
		fake_host_free(h);
	}
}

/*
 * What form does not show, the file system does: here a configuration file that names a log
 * device.
 */
static void test_mkfs_config_file(void)
{
	char path[] = "/tmp/fstrial-test-XXXXXX", options[64];
	struct fake_host *h = mkfs_host("fs=xfs");
	int fd = mkstemp(path);

	CU_ASSERT_TRUE_FATAL(fd >= 0);
	CU_ASSERT_TRUE(dprintf(fd, "# old defaults\n[log]\n logdev = log.img\n") > 0);
	snprintf(options, sizeof(options), "-c options=%s", path);
	fake_host_param(h, "options", options);
	CU_ASSERT_EQUAL(mkfs_check(&h->ctx), 0);
	CU_ASSERT_EQUAL(mkfs_apply(&h->ctx), -EINVAL);
	CU_ASSERT_EQUAL(h->commands.n, 0);
	CU_ASSERT_PTR_NOT_NULL(h->error);
	if (h->error)
		CU_ASSERT_PTR_NOT_NULL(strstr(h->error, "logdev names another place"));
	close(fd);
	unlink(path);
	fake_host_free(h);
}

/* As mkfs.xfs 6.1.0 and mke2fs 1.47.0 wrote it. */
static void test_mkfs_message(void)
{
	static const struct {
		const char *program, *out, *err, *text;
	} rows[] = {
		{ "mkfs.xfs", "", "Filesystem must be larger than 300MB.\n" USAGE,
		  "mkfs.xfs: Filesystem must be larger than 300MB." },
		{ "mkfs.xfs", "",
		  "Invalid value 15m for -d agsize option. Value is too small.\n" USAGE,
		  "mkfs.xfs: Invalid value 15m for -d agsize option. Value is too small." },
		{ "mkfs.xfs", "", "both data su and data sw options must be specified\n" USAGE,
		  "mkfs.xfs: both data su and data sw options must be specified" },
		{ "mkfs.xfs", "", "unknown option -d foo=1\n" USAGE,
		  "mkfs.xfs: unknown option -d foo=1" },
		{ "mkfs.xfs", "",
		  "Invalid value 1m for -l size option. Value is too small.\n" USAGE,
		  "mkfs.xfs: Invalid value 1m for -l size option. Value is too small." },
		{ "mkfs.xfs", "", "illegal sector size 512; hw sector is 4096\n" USAGE,
		  "mkfs.xfs: illegal sector size 512; hw sector is 4096" },
		{ "mkfs.xfs", "", "mkfs.xfs: /dev/loop0 contains a mounted filesystem\n" USAGE,
		  "mkfs.xfs: /dev/loop0 contains a mounted filesystem" },
		{ "mkfs.xfs", "", "mkfs.xfs: invalid option -- 'Z'\nunknown option -Z \n" USAGE,
		  "mkfs.xfs: invalid option -- 'Z'" },
		{ "mkfs.xfs", "meta-data=/dev/loop0 isize=512 agcount=4, agsize=65536 blks\n",
		  "Warning: AG size is a multiple of stripe width.  This cannot be good\n"
		  "mkfs.xfs: pwrite failed: Invalid argument\n",
		  "mkfs.xfs: pwrite failed: Invalid argument" },
		{ "mkfs.xfs", "V4 filesystems are deprecated.\n",
		  "rmapbt not supported without CRC support\n" USAGE,
		  "mkfs.xfs: rmapbt not supported without CRC support" },
		{ "mkfs.xfs", "first of stdout\nsecond\n", "\n \n" USAGE,
		  "mkfs.xfs: first of stdout" },
		{ "mkfs.xfs", "", "", "mkfs.xfs: it failed without a word" },
		{ "mkfs.btrfs", "",
		  "/usr/sbin/mkfs.btrfs: unrecognized option '--bogus'\nusage: mkfs.btrfs "
		  "[options] <dev>\n"
		  "    -s|--sectorsize SIZE      data block size (may not be mountable by current "
		  "kernel)\n",
		  "mkfs.btrfs: unrecognized option '--bogus'" },
		{ "mkfs.ext4", "",
		  "mke2fs 1.47.0 (5-Feb-2023)\nmkfs.ext4: invalid inode size 8192 (min 128/max "
		  "4096)\n",
		  "mkfs.ext4: invalid inode size 8192 (min 128/max 4096)" },
		{ "mkfs.ext4", "",
		  "mke2fs 1.47.0 (5-Feb-2023)\n\nBad option(s) specified: foo\n\n"
		  "Extended options are separated by commas\n",
		  "mkfs.ext4: Bad option(s) specified: foo" },
		{ "mkfs.ext4", "",
		  "mke2fs 1.47.0 (5-Feb-2023)\n\nThe total requested journal size is 256 blocks; "
		  "it must be\n"
		  "between 1024 and 10240000 blocks.  Aborting.\n",
		  "mkfs.ext4: The total requested journal size is 256 blocks; it must be between "
		  "1024 and 10240000 blocks.  Aborting." },
		{ "mkfs.ext4", "",
		  "mke2fs 1.47.0 (5-Feb-2023)\n/dev/loop0 is mounted; will not make a filesystem "
		  "here!\n",
		  "mkfs.ext4: /dev/loop0 is mounted; will not make a filesystem here!" },
	};
	char text[1200];
	size_t i;

	for (i = 0; i < FST_COUNT(rows); i++) {
		mkfs_message(rows[i].program, rows[i].out, rows[i].err, text, sizeof(text));
		mkfs_expect("message", text, rows[i].text);
	}
}

static void test_mkfs_fails(void)
{
	struct fake_host *h = mkfs_host("fs=xfs");

	fake_host_command(h, 1, "", "Filesystem must be larger than 300MB.\n" USAGE);
	CU_ASSERT_EQUAL(mkfs_apply(&h->ctx), -EINVAL);
	mkfs_expect("error", h->error,
		    "mkfs.xfs: Filesystem must be larger than 300MB. (command: mkfs.xfs -f "
		    "-L fstrial /dev/loop9)");
	fake_host_free(h);

	h = mkfs_host("fs=ext4");
	fake_host_command(h, 0, "",
			  "\nWarning: label too long; will be truncated to 'x'\n\n"
			  "mke2fs 1.47.0 (5-Feb-2023)\n");
	CU_ASSERT_EQUAL(mkfs_apply(&h->ctx), 0);
	mkfs_expect("warning", fake_host_find(&h->warnings, ""),
		    "mkfs.ext4: Warning: label too long; will be truncated to 'x'");
	fake_host_free(h);

	/* The device itself is no second one. */
	h = mkfs_host("fs=xfs;logdev=/dev/loop9");
	CU_ASSERT_EQUAL(mkfs_apply(&h->ctx), -EINVAL);
	mkfs_expect("log on itself", h->error,
		    "logdev: /dev/loop9 is what the file system is made on");
	CU_ASSERT_EQUAL(h->commands.n, 0);
	fake_host_free(h);

	h = mkfs_host("fs=xfs");
	h->no_tools = true;
	CU_ASSERT_EQUAL(mkfs_probe(&h->ctx), -EOPNOTSUPP);
	mkfs_expect("probe", h->error, "mkfs.xfs is not installed: install the package xfsprogs");
	fake_host_free(h);
}

void test_plugin_mkfs(void)
{
	CU_pSuite s = CU_add_suite("plugin mkfs", NULL, NULL);

	CU_add_test(s, "command lines", test_mkfs_argv);
	CU_add_test(s, "parameters that do not fit", test_mkfs_check);
	CU_add_test(s, "what the tool will refuse", test_mkfs_estimate);
	CU_add_test(s, "no other device", test_mkfs_other_device);
	CU_add_test(s, "words between options", test_mkfs_words);
	CU_add_test(s, "no other device by a configuration file", test_mkfs_config_file);
	CU_add_test(s, "the meaningful line", test_mkfs_message);
	CU_add_test(s, "failures and warnings", test_mkfs_fails);
}
