#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A plugin exports its descriptor and nothing else, and needs nothing of the program; the program
# exports nothing.
. "$(dirname "$0")/../helpers.sh"
requires nm
! is_instrumented || skip "sanitizers and line counters add symbols of their own"

shopt -s nullglob
plugins=("$BUILD"/plugins/*/*.so)
[ ${#plugins[@]} -gt 0 ] || fail "no plugin in $BUILD/plugins"

nm -g --defined-only "$BUILD/libcore.a" | awk 'NF == 3 { print $3 }' | sort -u >core
bad=0
for so in "${plugins[@]}"; do
	nm -D --defined-only "$so" | awk '{ print $NF }' >exported
	if [ "$(cat exported)" != fstrial_plugin ]; then
		echo "$so exports: $(tr '\n' ' ' <exported)"
		bad=1
	fi
	# Names with a version belong to a library, whatever the core calls its own functions.
	nm -D --undefined-only "$so" | awk '$NF !~ /@/ { print $NF }' | sort -u >needed
	if comm -12 core needed | grep .; then
		echo "$so needs the above from the program"
		bad=1
	fi
done

# Not the program's own: variables of the C library that it uses (stderr@GLIBC...), which the linker
# copies into it, and the linker's marks of where sections end.
if nm -D --defined-only "$BUILD/fstrial" |
	grep -vE '@| (__bss_start|_edata|_end|_IO_stdin_used|__data_start|data_start)$'; then
	echo "fstrial exports the above"
	bad=1
fi
exit $bad
