#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The public header compiles alone, as C11 without extensions and as C++17, with gcc and with clang.
. "$(dirname "$0")/../helpers.sh"

warn=(-Wall -Wextra -Wundef -pedantic-errors -Werror -I"$SRC/include" -fsyntax-only)
echo '#include <fstrial/plugin.h>' >alone.c
cp alone.c alone.cc
missing=() bad=0

try() # COMPILER ARG...
{
	if ! command -v "$1" >/dev/null; then
		missing+=("$1")
	elif ! "$@"; then
		echo "refused by: $*"
		bad=1
	fi
}

for cc in gcc clang; do
	try $cc -std=c11 "${warn[@]}" -Wshadow -Wstrict-prototypes -Wmissing-prototypes alone.c
done
for cxx in g++ clang++; do
	try $cxx -std=c++17 "${warn[@]}" alone.cc
done
[ $bad = 0 ] || exit 1
[ ${#missing[@]} = 0 ] || skip "not tried with ${missing[*]}, which are not installed; the others accept it"
