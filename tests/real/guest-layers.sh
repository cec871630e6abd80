#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Layers of arrays, volumes and mapped devices: what lies on what, at which byte, and what lies badly.
. "$(dirname "$0")/../helpers.sh"
requires mdadm lvm dmsetup wipefs mkfs.ext4
in_guest --disks 3 --size 96M

. "$SRC/tests/helpers-block.sh"
cat >layers.job <<END
job = "layers";
target = { devices = [$(quoted "${disks[@]}")]; destroy = [$(quoted "${names[@]}")]; };
repeats = 1;
order = "listed";
matrix = { how = ["md", "lvm", "dm", "dm on md"]; };
steps = (
	{ setup = "md"; when = "how == md || how == 'dm on md'"; level = "0"; chunk = "64KiB"; data_offset = "2MiB"; },
	{ setup = "lvm"; when = "how == lvm"; layout = "striped"; stripes = 3; stripe_size = "64KiB"; data_alignment = "1MiB"; },
	{ setup = "dm"; when = "how == dm || how == 'dm on md'"; type = "linear"; offset = "96KiB"; },
	{ setup = "mkfs"; fs = "ext4"; stride = "64KiB"; stripe_width = "192KiB"; },
	{ setup = "mount"; }
);
END
fstrial check layers.job || fail "the job"
run_job layers
clean
assert_schema layers/result.json
assert_json layers/result.json '
(lambda by, disks: (
    [(l["kind"], l["detail"]) for l in by["md"]["layers"]["data"]] == [("md", "raid0")] + [("disk", None)] * 3 and
    by["md"]["layers"]["data"][0]["chunk_bytes"] == 65536 and
    by["md"]["layers"]["data"][0]["below"] == [{"name": n, "offset_bytes": 2 << 20} for n in disks] and
    by["md"]["warnings"] == [] and
    by["lvm"]["layers"]["data"][0]["detail"] == "striped" and
    by["lvm"]["layers"]["data"][0]["chunk_bytes"] == 65536 and
    sorted(b["name"] for b in by["lvm"]["layers"]["data"][0]["below"]) == disks and
    {b["offset_bytes"] for b in by["lvm"]["layers"]["data"][0]["below"]} == {1 << 20} and
    by["lvm"]["warnings"] == [] and
    by["dm"]["layers"]["data"][0]["below"] == [{"name": disks[0], "offset_bytes": 96 << 10}] and
    len(by["dm"]["warnings"]) == 1 and
    "begins 96KiB into " + disks[0] + ", no multiple of the file system" in by["dm"]["warnings"][0] and
    [l["kind"] for l in by["dm on md"]["layers"]["data"]] == ["dm", "md", "disk", "disk", "disk"] and
    # The kernel sees it too.
    any(" alignment_offset of 32768" in w for w in by["dm on md"]["warnings"]) and
    any(" begins 96KiB into md" in w for w in by["dm on md"]["warnings"])))(
        {next(v["values"]["how"] for v in d["variants"] if v["id"] == t["variant"]): t for t in d["trials"]},
        ['"$(quoted "${names[@]}")"'])'
assert_contains layers.table "misaligned: "
