# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# What tests of the block layer and of mkfs share. In a guest disks and names are its empty disks.
read -ra disks <<<"${DISKS:-}"
# shellcheck disable=SC2034
names=("${disks[@]#/dev/}")

# For a list in a job: "a","b"
quoted()
{
	printf '"%s",' "$@" | sed 's/,$//'
}

# run_job NAME [STATUS] [ARG...]: NAME.job with its results in NAME, ends with STATUS (0).
run_job()
{
	local name=$1 want=${2:-0} status=0
	shift $(($# < 2 ? $# : 2))
	fstrial run --out "$name" "$@" "$name.job" >"$name.table" 2>"$name.log" || status=$?
	[ "$status" = "$want" ] || { show_file "$name.log"; show_file "$name.table"; }
	assert_eq "$status" "$want" "exit status of $name.job"
}

# Nothing of what a job made is left: no volume, array or mapped device, no signature but that of a file system
# of ours, nothing in the tools' own directories, no daemon. Few processes: in a guest they are what takes time.
clean()
{
	local left
	left=$(compgen -G '/sys/block/dm-*') && fail "a mapped device was left: $left"
	[ ! -e /proc/mdstat ] || [[ $(</proc/mdstat) != *$'\n'md* ]] || fail "an array was left"
	left=$(compgen -G '/sys/block/loop*/loop/backing_file') && fail "a loop device was left: $left"
	if [ ${#disks[@]} -gt 0 ]; then
		left=$(wipefs --noheadings --output DEVICE,LABEL,TYPE "${disks[@]}") || fail "wipefs ${disks[*]}"
		left=$(grep -Ev '^[^ ]+ +fstrial ' <<<"$left" | cat)
		[ -z "$left" ] || fail "a signature was left: $left"
	fi
	[ -z "$(find "$LVM_SYSTEM_DIR" -type f)" ] || fail "LVM's own directory was written to"
	! pgrep -lf '^([^ ]*/)?(dmeventd|lvmpolld|mdadm)( |$)' || fail "a daemon was started"
	[ -z "$(compgen -G "$FSTRIAL_STATE_DIR/*")" ] || fail "the journal of undoing was left"
}

# ---- mkfs: a variant for each group of parameters ----------------------------------------------------

mkfs_names=()
mkfs_steps=
# mkfs_variant NAME PARAMETERS: a variant "what = NAME" of mkfs_job, made with them.
mkfs_variant()
{
	mkfs_names+=("$1")
	mkfs_steps+="	{ setup = \"mkfs\"; name = \"mkfs_$1\"; when = \"what == $1\"; $2 },
"
}

# mkfs_job TARGET STEPS: all.job with these variants, its results in all, and made.py, which knows what was made.
mkfs_job()
{
	cat >all.job <<-END
	job = "all";
	target = { $1 scratch_dir = "."; };
	repeats = 1;
	order = "listed";
	matrix = { what = [ $(quoted "${mkfs_names[@]}") ]; };
	steps = (
	$mkfs_steps$2
	);
	END
	run_job all
	assert_schema all/result.json
	cat >made.py <<-'END'
	import json
	d = json.load(open("all/result.json"))
	names = {v["id"]: v["values"]["what"] for v in d["variants"]}
	class Made:
	    def __init__(self, t):
	        self.steps, self.fs = t["steps"], t["filesystem"]
	        self.step = next(s for s in self.steps if s["plugin"] == "mkfs")
	        self.geometry, self.features = self.fs["geometry"], set(self.fs["features"])
	        self.asked, self.in_force, self.notes = (self.step[k] for k in ("asked", "in_force", "notes"))
	made = {names[t["variant"]]: Made(t) for t in d["trials"]}
	# Each is as it was asked for, and nothing had to be said.
	def check_asked(but=lambda name, key, have: False):
	    for name, m in made.items():
	        setup = [s["warnings"] for s in m.steps if s["kind"] == "setup"]
	        assert not any(setup), (name, setup, m.fs)
	        for key, value in m.asked.items():
	            have = m.in_force.get(key)
	            assert have == value or but(name, key, have), (name, key, value, m.in_force)
	        assert m.notes["tool_version"], name
	END
}
