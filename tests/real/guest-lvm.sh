#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Layouts of logical volumes: made, read back, taken away, and the devices as clean as before.
. "$(dirname "$0")/../helpers.sh"
requires lvm dmsetup wipefs
in_guest --disks 4 --size 96M

. "$SRC/tests/helpers-block.sh"
cat >lvm.job <<END
job = "lvm";
target = { devices = [$(quoted "${disks[@]}")]; destroy = [$(quoted "${names[@]}")]; };
repeats = 1;
matrix = { volume = ["linear", "striped", "core", "disk", "raid1", "raid5", "raid10"]; };
steps = (
	{ setup = "lvm"; when = "volume == linear"; layout = "linear"; devices = ["target.1", "target.3"];
	  data_alignment = "256KiB"; metadata_size = "128KiB"; extent_size = "1MiB"; },
	{ setup = "lvm"; when = "volume == striped"; layout = "striped"; stripe_size = "16KiB"; stripes = 3; },
	{ setup = "lvm"; when = "volume == core"; layout = "mirror"; mirror_log = "core"; nosync = true;
	  region_size = "1MiB"; devices = ["target.2", "target.4"]; },
	{ setup = "lvm"; when = "volume == disk"; layout = "mirror"; size = "16MiB"; mirrors = 2; },
	{ setup = "lvm"; when = "volume == raid1"; layout = "raid1"; size = "16MiB"; devices = ["target.1", "target.2"]; },
	{ setup = "lvm"; when = "volume == raid5"; layout = "raid5"; size = "48MiB"; stripe_size = "32KiB"; },
	{ setup = "lvm"; when = "volume == raid10"; layout = "raid10"; size = "17MiB"; }
);
END
run_job lvm
clean
assert_schema lvm/result.json
assert_json lvm/result.json '
(lambda by: (
    by["linear"][0]["data_offset"] == "262144" and by["linear"][0]["extent_size"] == "1048576" and
    by["striped"][0]["stripe_size"] == "16384" and by["striped"][0]["stripes"] == "3" and
    by["striped"][0]["minimum_io_size"] == "16384" and by["striped"][0]["optimal_io_size"] == "49152" and
    [by[n][0]["mirror_log"] for n in ("core", "disk")] == ["core", "disk"] and
    by["core"][0]["region_size"] == "1048576" and
    [by[n][0]["mirrors"] for n in ("core", "disk", "raid1")] == ["1", "2", "1"] and
    [by[n][0]["layout"] for n in ("raid1", "raid5", "raid10")] == ["raid1", "raid5", "raid10"] and
    [by[n][0]["stripes"] for n in ("raid5", "raid10")] == ["3", "2"] and
    all(by[n][0]["synced"] == "100.00" for n in ("disk", "raid1", "raid5", "raid10")) and
    # 17 MiB are no whole extents of 4 MiB; 128 KiB of metadata end where the data is aligned
    any(w.startswith("size: asked for 17825792, in force is 2") for w in by["raid10"][1]) and
    any(w.startswith("metadata_size: asked for 131072, ") for w in by["linear"][1]) and
    all(by[n][1] == [] for n in by if n not in ("raid10", "linear"))))(
        {next(v["values"]["volume"] for v in d["variants"] if v["id"] == t["variant"]):
         next((s["in_force"], s["warnings"]) for s in t["steps"] if s["status"] == "ok") for t in d["trials"]})'
