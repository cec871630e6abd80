#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Plugins keep no data that can change: one loaded file serves several steps. The object file is
# looked at, since in the .so the compiler's own start-up data is there as well; constant tables
# with pointers are in .data.rel.ro, which is not writable once loaded.
. "$(dirname "$0")/../helpers.sh"
requires objdump
! is_instrumented || skip "sanitizers and line counters add data of their own"

shopt -s nullglob
bad=0 n=0
for so in "$BUILD"/plugins/*/*.so; do
	object=$BUILD/obj/${so#"$BUILD"/}
	object=${object%.so}.o
	n=$((n + 1))
	# ADDRESS FLAGS SECTION SIZE NAME; FLAGS is 7 characters, "d" in it marks the section itself.
	if objdump -t "$object" | awk -v file="${object#"$BUILD"/obj/}" '
		match($0, /^[0-9a-f]+ /) {
			flags = substr($0, RLENGTH + 1, 7)
			n = split(substr($0, RLENGTH + 9), f, /[ \t]+/)
			if (flags ~ /d/ || f[2] ~ /^0+$/)
				next
			if (f[1] ~ /^(\.data|\.bss|\.tdata|\.tbss|\*COM\*)(\.|$)/ && f[1] !~ /^\.data\.rel\.ro/) {
				print file ": " f[n] " in " f[1]
				found = 1
			}
		}
		END { exit !found }'; then
		bad=1
	fi
done
[ $n -gt 0 ] || fail "no plugin in $BUILD/plugins"
exit $bad
