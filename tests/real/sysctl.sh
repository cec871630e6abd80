#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Settings of the kernel: asked for, in force, put back by what was in force before; refused before the first write.
. "$(dirname "$0")/../helpers.sh"
requires_root
[ -w /proc/sys/vm/dirty_bytes ] || skip "/proc/sys cannot be written"

mkdir place
write_job() # SETTINGS
{
	cat >a.job <<-END
		job = "sysctl";
		target = { directory = "$PWD/place"; };
		repeats = 1;
		steps = (
			{ setup = "sysctl"; set = [$1]; },
			{ workload = "sequential"; rw = "write"; size = "1MiB"; bs = "1MiB"; loops = 1; }
		);
	END
}
values() { head -n 99 /proc/sys/vm/{dirty,dirty_background}_{bytes,ratio} /proc/sys/vm/vfs_cache_pressure; }
values >before

write_job '"vm.dirty_background_bytes = 0x400000", "vm/dirty_bytes = 16777217", "vm.vfs_cache_pressure=50"'
fstrial run --quiet --out out a.job >table 2>err || { show_file err; fail "run"; }
values >after
diff before after >&9 || fail "not as before"
assert_schema out/result.json
step="d['trials'][0]['steps'][0]"
assert_json out/result.json "${step}['asked'] == {'vm.dirty_background_bytes': '4194304', 'vm.dirty_bytes': '16777217',
	'vm.vfs_cache_pressure': '50'}"
assert_json out/result.json "all(${step}['in_force'][k] == v for k, v in ${step}['asked'].items())"
assert_json out/result.json "${step}['in_force']['vm.dirty_ratio'] == '0'"
assert_json out/result.json "${step}['warnings'] == []"
fstrial plan a.job >plan
assert_contains plan 50

# refused TEXT SETTINGS: the step fails with that, and nothing was written.
refused()
{
	rm -rf out
	write_job "$2"
	assert_exit 1 fstrial run --quiet --out out a.job >table 2>err
	assert_json out/result.json "'''$1''' in ${step}['reason']"
	values >after
	diff before after >&9 || fail "not as before"
}
refused 'has no vfs_cache_presure (is vfs_cache_pressure meant?)' '"vm.dirty_ratio = 30", "vm.vfs_cache_presure = 50"'
refused 'kernel.version is read-only' '"vm.dirty_ratio = 30", "kernel.version = 1"'
refused 'vm.dirty_ratio = 101: the kernel refuses this value; it stays' '"vm.vfs_cache_pressure = 51", "vm.dirty_ratio = 101"'
write_job '"vm.dirty_bytes = 100", "vm.dirty_ratio = 5"'
assert_exit 2 fstrial run --quiet --out never a.job >table 2>err
assert_contains err "each sets the other to 0"
