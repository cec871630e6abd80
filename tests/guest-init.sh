#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The first process of a guest that tests/guest.sh boots. GUEST_DIR, from the kernel's command line, is
# where guest.sh keeps what belongs to this boot, GUEST_SHARE the directory that can be written, at the
# same place as on the host. The rest of / is the host's and can only be read.
export PATH=/run/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/run/home LC_ALL=C
umask 022

mountpoint -q /proc || mount -t proc proc /proc
mountpoint -q /sys || mount -t sysfs sysfs /sys
mountpoint -q /dev || mount -t devtmpfs dev /dev
mkdir -p /dev/pts /dev/shm
mount -t devpts devpts /dev/pts
mount -t tmpfs tmpfs /dev/shm
mount -t tmpfs tmpfs /run
mount -t tmpfs tmpfs /mnt
mkdir -p /run/bin /run/home /run/lock/lvm /run/lvm /run/lvm-system /run/mdadm /run/tmp
[ ! -e /sys/fs/cgroup ] || mount -t cgroup2 cgroup2 /sys/fs/cgroup
[ ! -e /sys/kernel/debug ] || mount -t debugfs debugfs /sys/kernel/debug

# Nobody runs udev here, so that device nodes are for the tools themselves to make; and what LVM
# remembers belongs to this boot.
export DM_DISABLE_UDEV=1 LVM_SUPPRESS_FD_WARNINGS=1 LVM_SYSTEM_DIR=/run/lvm-system TMPDIR=/run/tmp

case $GUEST_KIND in
uml) mount -t hostfs none "$GUEST_SHARE" -o "$GUEST_SHARE" ;;
qemu) mount -t 9p -o trans=virtio,version=9p2000.L,msize=262144,cache=none share "$GUEST_SHARE" ;;
esac || exec /bin/sleep infinity # guest.sh sees that it never became ready

# The modules of this kernel are not where modprobe looks for them. Some programs run it by its full path, so
# that kmod, which all of these names stand for, has to be another one.
if command -v modprobe >/dev/null; then
	kmod=$(realpath "$(command -v modprobe)")
	cp "$kmod" /run/bin/kmod.real
	cat >/run/bin/modprobe <<-END
	#!/bin/bash
	name=\${0##*/}
	[ "\$name" != modprobe ] || set -- -d "$GUEST_DIR/root" "\$@"
	exec -a "\$name" /run/bin/kmod.real "\$@"
	END
	chmod +x /run/bin/modprobe
	mount --bind /run/bin/modprobe "$kmod"
	echo /run/bin/modprobe >/proc/sys/kernel/modprobe
fi
modprobe -q loop

: >"$GUEST_DIR/ready"
cd "$GUEST_SHARE" || exit
(
	set -a
	. "$GUEST_DIR/env"
	. "$GUEST_DIR/command"
	exec "${command[@]}"
) >"$GUEST_DIR/out" 2>&1 </dev/null
echo $? >"$GUEST_DIR/status.new"
sync
mv "$GUEST_DIR/status.new" "$GUEST_DIR/status"
busybox poweroff -f
exec /bin/sleep infinity # guest.sh ends it
