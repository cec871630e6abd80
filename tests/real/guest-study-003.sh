#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The study of mirrors on a kernel that has them: one device, md, LVM with its options, ext3, and what is obsolete.
. "$(dirname "$0")/../helpers.sh"
requires lvm mdadm dmsetup mkfs.xfs mkfs.ext4
in_guest --mem 768M --timeout 290

. "$SRC/tests/helpers-block.sh"
# Of volumes that differ in numbers only, one; all are checked by the plan.
sed -e 's/count = 2; }/count = 2; scratch_dir = "."; }/' "$SRC/jobs/studies/003-mirror.job" >all.job
skip=
for v in lvm lvm_256_512 lvm_64_1024 lvm_32_256 lvm_64k_256_256 lvm_raid1; do skip+="${skip:+, }{ volume = \"$v\"; }"; done
sed "s/^steps = (/skip = ( $skip );\n&/" all.job >study.job
assert_exit 0 fstrial plan all.job >plan
assert_contains plan "variants      13: volume (13)"
run_job study 1 --repeats 1 --set scale=1 --set runtime=1s --set nosync=true
clean
assert_schema study/result.json
assert_json study/result.json '
(lambda by: (
    all(by[v]["status"] == "ok" for v in ("single", "md", "lvm_64k_32_256", "lvm_core", "lvm_ext3")) and
    # obsolete: the kernel took it away, the tool refuses it; both say so
    by["nobarrier"]["status"] == "failed" and "nobarrier" in by["nobarrier"]["reason"] and
    (by["lvm_mirrored"]["status"] == "ok" or "DEPRECATED" in by["lvm_mirrored"]["reason"]) and
    by["lvm_ext3"]["filesystem"]["type"] in ("ext3", "ext4") and
    {k: by["lvm_64k_32_256"]["filesystem"]["geometry"][k] for k in ("sunit", "swidth")} == {"sunit": 16384, "swidth": 131072} and
    [s["in_force"]["mirror_log"] for v in ("lvm_core", "lvm_ext3") for s in by[v]["steps"] if s["plugin"] == "lvm" and s["in_force"]] ==
        ["core", "disk"] and
    all(s["status"] == "ok" for v in ("single", "md", "lvm_core") for s in by[v]["steps"] if s["kind"] == "workload")))(
        {next(v["values"]["volume"] for v in d["variants"] if v["id"] == t["variant"]): t for t in d["trials"]})'
