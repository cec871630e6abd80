#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# `make demo`: from a fresh checkout to a table of results. As root it first installs what is
# missing and then tries a new XFS on a scratch image; as a plain user it runs the same job in a
# directory. Leaves the build directory and fstrial-results behind, nothing else.
set -eu
cd "$(dirname "$0")/.."
B=${B:-build}
job=jobs/quickstart.job

# Files made by `sudo make demo` belong to whoever typed it.
hand_over()
{
	local path
	[ "$(id -u)" = 0 ] && [ -n "${SUDO_UID:-}" ] && [ -n "${SUDO_GID:-}" ] || return 0
	for path in "$B" fstrial-results; do
		[ ! -d "$path" ] || [ -L "$path" ] || chown -hR "$SUDO_UID:$SUDO_GID" "$path"
	done
}

directory=
finish()
{
	[ -z "$directory" ] || rm -rf --one-file-system "$directory"
	hand_over
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

if [ "$(id -u)" = 0 ]; then
	# The demonstration itself does not need what only tests need.
	contrib/deps.sh || contrib/deps.sh --check build run
else
	contrib/deps.sh --check build
fi

"${MAKE:-make}" --no-print-directory B="$B" -j "$(nproc)" all

echo
if [ "$(id -u)" = 0 ]; then
	"$B/fstrial" run "$job"
else
	echo "Not root: the job runs in a directory, and says which steps it leaves out and why."
	echo
	directory=$(mktemp -d "${TMPDIR:-/var/tmp}/fstrial-demo.XXXXXX")
	"$B/fstrial" run --directory "$directory" "$job"
fi
