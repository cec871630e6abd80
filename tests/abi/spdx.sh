#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Every source file says under which licence it is.
. "$(dirname "$0")/../helpers.sh"
cd "$SRC"

# Tracked files, in a checkout; otherwise all but build directories. safe.directory: root may run
# the tests of another user's checkout.
list()
{
	if [ -e .git ] && command -v git >/dev/null; then
		git -c safe.directory='*' ls-files
	else
		find . -type d \( -name 'build*' -o -name fstrial-results -o -name .git \) -prune -o -type f -print |
			sed 's,^\./,,'
	fi
}

list >"$TEST_DIR/files"
[ -s "$TEST_DIR/files" ] || skip "no list of files to be had"
bad=0
while IFS= read -r file; do
	case $file in
	*.c | *.h | *.sh | *.job | *.py | *.in | GNUmakefile | */GNUmakefile | */Makefile) ;;
	*) # a script without a name that says so
		[ "$(head -c 2 "$file" 2>/dev/null | tr -d '\0')" = '#!' ] || continue ;;
	esac
	[ -f "$file" ] || continue # deleted, not committed yet
	# Job files that are wrong on purpose may be wrong from their first byte.
	case $file in tests/jobs/* | tests/fuzz/*) continue ;; esac
	if ! head -n 5 "$file" | grep -q 'SPDX-License-Identifier: '; then
		echo "$file has no SPDX-License-Identifier in its first 5 lines"
		bad=1
	fi
done <"$TEST_DIR/files"
exit $bad
