#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The scripts of fstrial-upgrade(7), as they are printed there, on numbers whose truth is known.
. "$(dirname "$0")/../helpers.sh"
requires /usr/bin/python3 git

page=$SRC/contrib/man/fstrial-upgrade.7
# example NAME: what the page has between its marks, as a reader sees it.
example()
{
	awk -v name="$1" '/^\.\\" end/ {on = 0} on && !/^\.(EX|EE)$/ {print} $0 == ".\\\" example: " name {on = 1}' "$page" |
		sed -e 's/\\-/-/g' -e 's/\\e/\\/g' >"$1"
	[ -s "$1" ] || fail "no example $1 in the page"
	chmod +x "$1"
}
for name in upgrade-step upgrade-gate bisect-step; do
	example $name
	sh -n $name
done
fstrial check "$SRC/jobs/upgrade.job" >out

PATH=$BUILD:$PATH
# Small, and not one of the machine's numbers is in it.
sed -e 's/agcount = \[.*\]; bs = \[.*\]; readahead.*; }/agcount = [4, 8]; bs = ["64KiB"]; readahead = ["8MiB"]; }/' \
	"$SRC/jobs/synthetic.job" >synthetic.job
grep -q 'agcount = \[4, 8\]' synthetic.job || fail "the job has another matrix now"
export JOB=$PWD/synthetic.job RESULTS=$PWD/results

# Six boots in turn, each its own; a boot's id is that of the machine, so that it is put in afterwards.
cat >run <<'END'
#!/bin/bash
set -e
FSTRIAL_SYNTHETIC_LOSS=$(cat loss) fstrial run --seed "$(cat seed)" --repeats "$(cat repeats)" "$@" >/dev/null
while [ "$1" != --out ]; do shift; done
sed -i "s/\"boot_id\": *\"[^\"]*\"/\"boot_id\": \"boot-$(cat seed)\"/g" "$2/result.json"
sed -i "s/\"release\": *\"[^\"]*\"/\"release\": \"$(cat kernel)\"/" "$2/result.json"
END
chmod +x run
export RUN=$PWD/run
echo 5 >repeats
seed=0
for kernel in 6.1.0 6.12.0 6.12.0 6.1.0 6.1.0 6.12.0; do
	seed=$((seed + 1))
	echo $seed >seed
	echo $kernel >kernel
	[ $kernel = 6.1.0 ] && echo 0 >loss || echo 0.2 >loss
	KERNEL=$kernel BOOT_ID=boot-$seed ./upgrade-step
done
assert_exit 1 fstrial compare results/6.1.0 results/6.12.0 >out
assert_contains out "The boots are what is compared: 3 of the base, 3 of the new result"
assert_contains out "REGRESSED"
assert_exit 1 fstrial compare results/* >out
assert_exit 1 ./upgrade-gate results/6.1.0 results/6.12.0 >out
assert_contains out "slower"
assert_contains compare.xml "<failure"
assert_exit 0 ./upgrade-gate results/6.1.0 results/6.1.0 >out
fstrial compare results/6.1.0 results/6.12.0 --write-accept accept.txt >out || true
assert_exit 0 env ACCEPT=accept.txt ./upgrade-gate results/6.1.0 results/6.12.0 >out
assert_exit 2 ./upgrade-gate results/6.1.0 nothing >out 2>err

# A search over commits: the tenth is slower, and one before it cannot be told.
export GIT_AUTHOR_NAME=test GIT_AUTHOR_EMAIL=test@localhost GIT_COMMITTER_NAME=test GIT_COMMITTER_EMAIL=test@localhost \
	GIT_CONFIG_NOSYSTEM=1 HOME=$PWD
git init -q repo
cp bisect-step run repo
cd repo
printf '%s\n' bisect-step run seed kernel good log >.gitignore
for i in $(seq 1 16); do
	[ "$i" -lt 10 ] && echo 0 >loss || echo 0.2 >loss
	[ "$i" = 8 ] && echo 2 >repeats || echo 5 >repeats
	echo "$i" >commit
	git add .gitignore loss repeats commit
	git commit -qm "commit $i"
done
echo 6.1.0 >kernel
git checkout -q HEAD~15
echo 100 >seed
./run --quiet --out good "$JOB"
git checkout -q -
export GOOD=$PWD/good BUILD=true BOOT=true RUN=$PWD/run
# Each call has a seed of its own.
cat >next <<'END'
#!/bin/sh
echo $(($(cat seed) + 1)) >seed
exec ./bisect-step
END
chmod +x next
echo next >>.git/info/exclude
git bisect start HEAD HEAD~15 >log 2>&1
git bisect run ./next >>log 2>&1 || { show_file log; fail "git bisect run"; }
assert_eq "$(git show -s --format=%s refs/bisect/bad)" "commit 10"
git checkout -q "$(git rev-list --all --grep='commit 8$')" 2>/dev/null
assert_exit 125 ./next >out
