#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Two versions of xfsprogs side by side: program is a factor, and what was made differs where their defaults do.
. "$(dirname "$0")/../helpers.sh"
requires_root
requires mkfs.xfs
real=$(command -v mkfs.xfs)

printf '[metadata]\nbigtime=0\ninobtcount=0\n' > 5.4.conf
printf '[metadata]\nbigtime=1\ninobtcount=1\n' > 6.1.conf

# version DIR NUMBER CONFIG: a program that says NUMBER of itself and has the defaults of CONFIG.
version()
{
	mkdir -p "$1"
	cat > "$1/mkfs.xfs" <<-END
	#!/bin/sh
	[ "\$1" != -V ] || { echo "mkfs.xfs version $2"; exit 0; }
	exec $real -c options=$PWD/$3 "\$@"
	END
	chmod +x "$1/mkfs.xfs"
}
version old 5.4.0 5.4.conf
version new 6.1.9 6.1.conf

cat > versions.job <<'END'
job = "versions";
target = { scratch = "400MiB"; scratch_dir = "."; };
repeats = 2;
matrix = { program = [ "old/mkfs.xfs", "new/mkfs.xfs" ]; };
steps = (
	{ setup = "mkfs"; fs = "xfs"; program = "${program}"; },
	{ setup = "mount"; },
	{ workload = "sequential"; rw = "write"; size = "4MiB"; bs = "1MiB"; }
);
END
# The plan asks both programs, names them and their versions, and makes nothing.
fstrial plan --json versions.job >plan
assert_contains plan "with $PWD/old/mkfs.xfs 5.4.0: on 400MiB agcount=4 agsize=100MiB"
assert_contains plan "with $PWD/new/mkfs.xfs 6.1.9: on 400MiB agcount=4 agsize=100MiB"
assert_exit 0 fstrial run --out out versions.job >table 2>log
assert_schema out/result.json
cat > look.py <<'END'
import json
d = json.load(open("out/result.json"))
names = {v["id"]: v["values"]["program"] for v in d["variants"]}
for t in d["trials"]:
    program = names[t["variant"]]
    notes = t["steps"][0]["notes"]
    have = set(notes["features"].split(","))
    assert notes["tool_version"] == {"old/mkfs.xfs": "5.4.0", "new/mkfs.xfs": "6.1.9"}[program], notes
    assert ("/" + program) in notes["command"]
    assert have == set(t["filesystem"]["features"])
    assert ({"bigtime", "inobtcount"} <= have) == (program == "new/mkfs.xfs"), have
END
python3 look.py || fail "not as the two programs make it"

# Of two sessions with one of them each, compare names both before anything else; the features follow from them.
cat > either.job <<'END'
job = "either";
target = { scratch = "400MiB"; scratch_dir = "."; };
vars = { program = "old/mkfs.xfs"; };
repeats = 2;
canaries = false;
steps = ( { setup = "mkfs"; fs = "xfs"; program = "${program}"; }, { setup = "mount"; }, { workload = "synthetic"; } );
END
assert_exit 0 fstrial run --quiet --out with-old either.job >table 2>log
assert_exit 0 fstrial run --quiet --out with-new --set program=new/mkfs.xfs either.job >table 2>log
fstrial compare --force with-old with-new >differences && fail "two repeats are no verdict"
tr -s ' \n' ' ' <differences >flat
assert_contains flat "version of mkfs.xfs: 5.4.0 ($PWD/old/mkfs.xfs) -> 6.1.9 ($PWD/new/mkfs.xfs)"
[ "$(grep -n "6.1.9" differences | head -n1 | cut -d: -f1)" -lt "$(grep -n "^INCONCLUSIVE\|^SUSPECT" differences | head -n1 | cut -d: -f1)" ] ||
	fail "a verdict before the versions"
# One that says no version of itself does not pass for the installed one.
printf '#!/bin/sh\n[ "$1" != -V ] || exit 0\nexec %s "$@"\n' "$real" >new/mkfs.xfs
assert_exit 0 fstrial run --quiet --out silent --set program=new/mkfs.xfs either.job >table 2>log
assert_json silent/result.json "d['trials'][0]['steps'][0]['notes']['tool_version'] == 'unknown'"

# A program that is not there is one failed step with its name.
cat > none.job <<'END'
job = "none";
target = { scratch = "400MiB"; scratch_dir = "."; };
repeats = 1;
steps = ( { setup = "mkfs"; fs = "xfs"; program = "none/mkfs.xfs"; } );
END
assert_exit 1 fstrial run --out none none.job >table 2>log
assert_json none/result.json "'none/mkfs.xfs' in d['trials'][0]['reason'] and d['trials'][0]['steps'][0]['errno'] == 'ENOENT'"
