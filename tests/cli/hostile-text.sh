#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Texts of a job that would move the cursor, break lines or be too long: shown harmless, kept whole in the result.
. "$(dirname "$0")/../helpers.sh"

mkdir work
cat > hostile.job <<'END'
job = "hostile";
description = "red \x1b[31m and \x07 two\nlines";
target = { directory = "work"; };
repeats = 1;
matrix = { v = ["e\x1b[2J\x07\ttab", "two\nlines", "",
	"日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語"]; };
steps = ( { workload = "sequential"; name = "w"; rw = "write"; size = "64KiB"; bs = "4KiB"; } );
END
# No byte below a blank but the line break, and no line that is wider than 100 columns.
harmless() # FILE [WIDTH]
{
	/usr/bin/python3 - "$@" <<-'END' || fail "$1 is harmful"
	import sys, unicodedata
	for line in open(sys.argv[1], encoding="utf-8"):
	    line = line.rstrip("\n")
	    width = sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)
	    if any(ord(c) < 32 or 127 <= ord(c) < 160 for c in line) or width > int((sys.argv[2:] or [100])[0]):
	        sys.exit(repr(line))
	END
}
assert_exit 0 fstrial plan hostile.job >out
harmless out
assert_exit 0 fstrial run --out result hostile.job >out 2>err
harmless out
harmless err 1000
assert_exit 0 fstrial show --all result >out
harmless out
assert_json result/result.json 'd["variants"][0]["values"]["v"] == "e\x1b[2J\x07\ttab" and d["variants"][1]["values"]["v"] == "two\nlines"'
# In what is wrong, too.
sed 's/bs = "4KiB"/bs = "\\x1b[2J"/' hostile.job >wrong.job
assert_exit 2 fstrial check wrong.job 2>err
harmless err 1000
assert_contains err "bs"
assert_exit 2 fstrial check $'no\x1b[2Jfile.job' 2>err
harmless err 1000
assert_exit 2 fstrial show $'no\x1b[2Jfile' 2>err
harmless err 1000
assert_exit 2 fstrial run $'--no\x1b[2J' 2>err
harmless err 1000
