#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The example plugin builds outside the tree against what `make install` installs, and runs with it.
. "$(dirname "$0")/../helpers.sh"
requires make pkg-config "${CC:-gcc}"
! is_instrumented || skip "a plugin built without sanitizers does not fit this build"

prefix=$PWD/prefix
# Built anew: where plugins are is part of a program, and what is under test keeps its own.
make -s -j"$(nproc)" -C "$SRC" B="$PWD/build" CC="${CC:-gcc}" CFLAGS=-O0 install DESTDIR= prefix="$prefix" >install.log 2>&1 ||
	{ show_file install.log; fail "make install"; }
cp -r "$SRC/contrib/example-plugin" my-plugin
cd my-plugin
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name fstrial.pc)")
export PKG_CONFIG_PATH
make CC="${CC:-gcc}" CFLAGS='-O2 -Wall -Wextra -Werror' >make.log 2>&1 || { show_file make.log; fail "make"; }

# Not by others: as root a plugin that they can write to is refused.
chmod go-w . create_files.so
mkdir data
"$prefix/bin/fstrial" plugins create_files --plugin-dir . >shown
assert_contains shown "create_files"
assert_contains shown "Files that each worker creates."
assert_contains shown "create_rate"

assert_exit 0 "$prefix/bin/fstrial" run --directory data --plugin-dir . --out results example.job >out 2>err ||
	{ show_file err; exit 1; }
assert_json results/result.json 'all(t["status"] == "ok" for t in d["trials"]) and len(d["trials"]) == 6'
assert_json results/result.json 'all(s["metrics"]["create_rate"]["value"] > 0
	for t in d["trials"] for s in t["steps"] if s["plugin"] == "create_files")'
assert_json results/result.json 'd["trials"][0]["steps"][0]["latency"]["create"]["count"] == 400'
assert_eq "$(find data -type f | wc -l)" 0 "files left behind"

# Installed, it needs no --plugin-dir.
make install >make.log 2>&1 || { show_file make.log; fail "make install of the plugin"; }
"$prefix/bin/fstrial" plugins create_files >shown
assert_contains shown "create_rate"
