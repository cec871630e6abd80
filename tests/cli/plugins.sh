#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The list of plugins, and the explanation of each, from their tables.
. "$(dirname "$0")/../helpers.sh"

fstrial plugins >out 2>err
[ ! -s err ] || { show_file err; fail "a plugin of the build was refused"; }
for file in "$BUILD"/plugins/*/*.so; do
	name=$(basename "$file" .so)
	kind=$(basename "$(dirname "$file")")
	assert_contains out "  $name "
	fstrial plugins "$name" >one
	assert_contains one "$kind $name, version "
	assert_contains one "Parameters:"
	[ "$kind" != workload ] || assert_contains one "Metrics:"
	[ "$(wc -L <one)" -le 100 ] || { show_file one; fail "$name: wider than 100 columns"; }
	! grep -q ' $' one || fail "$name: blanks at the end of a line"
done
[ "$(wc -L <out)" -le 100 ] || fail "the list is wider than 100 columns"

# The program's own parameters have names too.
for name in step workload io; do
	assert_contains out "  $name "
	fstrial plugins "$name" >one
	assert_contains one "Parameters:"
done
assert_contains one iodepth
fstrial plugins sequential >one
assert_contains one "Every data workload also takes (fstrial plugins io): "

fstrial plugins --json >all.json
assert_json all.json 'd["format"] == "fstrial-plugins/1" and d["refused"] == []'
assert_json all.json 'all(p["doc"] for x in d["plugins"] + d["tables"] for p in x["params"])'
assert_json all.json '[t["name"] for t in d["tables"]] == ["step", "workload", "io", "device"]'
assert_json all.json 'all(m["doc"] and m["unit"] for x in d["plugins"] for m in x["metrics"])'
fstrial plugins --json sequential >one.json
assert_json one.json '[(x["kind"], x["name"]) for x in d["plugins"]] == [("workload", "sequential")]'
fstrial plugins --names >names
assert_eq "$(sort names | uniq -d)" "" "names twice"
assert_contains names sequential

assert_exit 2 fstrial plugins seqential >out 2>err
assert_contains err "there is no plugin seqential; did you mean sequential?"
[ ! -s out ] || fail "something on standard output"
assert_exit 2 fstrial plugins --json frobnicate >out 2>err
assert_contains err 'there is no plugin frobnicate; "fstrial plugins" lists them'
[ ! -s out ] || fail "something on standard output"

# What is no plugin is refused with its reason, and the others are listed all the same.
mkdir bad
echo "no shared object" >bad/text.so
chmod 644 bad/text.so
fstrial plugins --plugin-dir bad >out 2>err
assert_contains out "  sequential "
assert_contains err "bad/text.so: refused: "
assert_exit 2 fstrial plugins --plugin-dir bad text >out 2>err
assert_contains err "bad/text.so: refused: "
fstrial plugins --json --plugin-dir bad >all.json 2>err
assert_json all.json 'len(d["refused"]) == 1 and d["refused"][0]["reason"]'
assert_exit 2 fstrial plugins --plugin-dir nowhere >out 2>err
assert_contains err "nowhere: plugin directory of --plugin-dir: No such file or directory"
assert_exit 2 fstrial plugins --plugin-dir bad/text.so >out 2>err
assert_contains err "not a directory"
# Nothing that is opened blocks, and each is refused for its own reason.
mkdir odd odd/folder.so
ln -s /nonexistent odd/dangling.so
mkfifo odd/fifo.so
timeout 20 "$BUILD/fstrial" plugins --plugin-dir odd >out 2>err || fail "exit status $?"
assert_contains err "odd/fifo.so: refused: is not a regular file"
assert_contains err "odd/folder.so: refused: is not a regular file"
assert_contains err "odd/dangling.so: refused: cannot be looked at: No such file"
# Root opens only what nobody else can change, wherever a link leads.
[ "$(id -u)" = 0 ] || exit 0
umask 022
mkdir open linked
cp "$BUILD/tests/plugins/counts.so" open/counts.so
ln -s ../open/counts.so linked/counts.so
refused() # TEXT
{
	fstrial plugins --plugin-dir linked >out 2>err
	assert_contains err "linked/counts.so: refused: $1"
	assert_lacks out "  counts "
}
chmod 777 open
refused "the directory that it leads to is writable by others"
chmod 755 open
chmod 666 open/counts.so
refused "is writable by others"
chmod 664 open/counts.so
refused "is writable by its group"
chmod 644 open/counts.so
chown 65534 open/counts.so
refused "is owned by uid 65534"
chown 0 open/counts.so
fstrial plugins --plugin-dir linked >out 2>err
assert_contains out "  counts "
