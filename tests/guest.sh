#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Runs one script in a machine of its own, with kernel features that the host may not have (dm, md,
# scsi_debug, ...), without root and without touching the host:
#
#     tests/guest.sh [--disks N] [--size SIZE] [--mem SIZE] [--timeout SECONDS] SCRIPT [ARG]...
#
# In a test, after helpers.sh, either as a command, or so that the test itself goes on in the guest:
#
#     guest_run --disks 2 "$SRC/tests/..." ARG    # its output and exit status
#     in_guest --disks 2 --size 512M              # what follows this line runs in a guest
#
# The guest is User-Mode Linux (Debian's package user-mode-linux), or, where the processor is too much for that,
# QEMU without KVM (qemu-system-x86, busybox-static, and an installed linux-image-amd64 or one that was unpacked
# below $GUEST_KERNEL). Its / is the host's, read-only, so that the build, the
# sources and all programs are there; the directory that guest.sh was called in is the same in the guest,
# can be written, and is where the script starts. /run, /mnt and /dev/shm are the guest's own; TMPDIR is on
# a tmpfs, uid is 0, there is one processor and no udev. DISKS holds the devices of N empty disks (0) of SIZE
# (512M), GUEST says uml or qemu; `modprobe NAME` loads what is not there by itself.
#
# Exit status and output are the script's. 77, with the reason as the last line: no guest can be had here.
# 124: not ended within SECONDS (240), output so far is shown. A boot takes some 8 seconds (20 with QEMU),
# so one script should do all that belongs together. Never measure speed in it. Nothing is left behind: the
# images, which lie in the directory too, and all processes go at the end, whatever ends it. GUEST_KIND=uml
# or qemu in the environment takes that and no other.
set -u
export LC_ALL=C
PATH=$PATH:/usr/sbin:/sbin

SRC=${SRC:-$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)}
boot_limit=90 # seconds until the script must have begun

usage()
{
	echo "usage: guest.sh [--disks N] [--size SIZE] [--mem SIZE] [--timeout SECONDS] SCRIPT [ARG]..." >&2
	exit 2
}

disks=0 size=512M mem=512M limit=240
while [ $# -gt 0 ]; do
	case $1 in
	--disks) disks=${2:-} ;;
	--size) size=${2:-} ;;
	--mem) mem=${2:-} ;;
	--timeout) limit=${2:-} ;;
	--*) usage ;;
	*) break ;;
	esac
	shift 2 || usage
done
case $disks$limit in *[!0-9]*) usage ;; esac
[ $# -ge 1 ] && [ "$disks" -le 16 ] || usage
[ -f "$1" ] || { echo "guest.sh: $1: no such script" >&2; exit 2; }

share=$(pwd -P)
case $share in
/ | /dev/* | /proc/* | /sys/* | /run/* | /mnt/*)
	echo "guest.sh: a guest has its own $share: call it from another directory" >&2
	exit 2 ;;
*[[:space:]]*)
	echo "guest.sh: a blank in the path $share" >&2
	exit 2 ;;
esac

# ---- the end ------------------------------------------------------------------------------------

dir='' pid='' watch=''

# Should this script be killed, somebody else has to end the guest.
start_watch()
{
	setsid /bin/bash -c 'while kill -0 "$1"; do sleep 1; done; kill -KILL -- "-$2"' - $$ "$pid" \
		>/dev/null 2>&1 </dev/null 9>&- &
	watch=$!
	disown "$watch"
}

# All processes of the guest are in one group, that of pid. They are gone when this returns.
end_guest()
{
	[ -n "$pid" ] || return 0
	kill -KILL -- "-$pid" 2>/dev/null
	[ -z "$watch" ] || kill -KILL -- "-$watch" 2>/dev/null
	watch=
	while kill -0 -- "-$pid" 2>/dev/null; do sleep 0.05; done
	pid=
}

clean_up()
{
	local status=$?
	trap '' INT TERM HUP
	end_guest
	[ -z "$dir" ] || rm -rf --one-file-system "$dir"
	exit $status
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# ---- what the guest finds -----------------------------------------------------------------------

prepare() # SCRIPT ARG...
{
	local i script
	script=$(realpath "$1")
	shift
	dir=$(mktemp -d "$share/.guest.XXXXXX") || exit 1
	command=(/bin/bash "$script" "$@")
	declare -p command >"$dir/command"
	images=()
	for ((i = 0; i < disks; i++)); do
		images+=("$dir/disk$i.img")
		truncate -s "$size" "$dir/disk$i.img" || exit 1
	done
}

# What tests have in their environment, and where the disks are.
write_env() # KIND DEVICE-PREFIX
{
	local name i letters=abcdefghijklmnop list=
	for ((i = 0; i < disks; i++)); do list+="${list:+ }$2${letters:i:1}"; done
	{
		printf '%s=%q\n' GUEST "$1" DISKS "$list" SRC "$SRC" TEST_DIR "$share"
		for name in BUILD ASAN_OPTIONS UBSAN_OPTIONS TEST_TIMEOUT SEED BLOCK_KILLS; do
			[ -z "${!name:-}" ] || printf '%s=%q\n' "$name" "${!name}"
		done
	} >"$dir/env"
}

# ---- the kinds of guest: each fills boot, the command line, or says why not ----------------------

boot=() why=''

kind_uml()
{
	local kernel modules args=() i letters=abcdefghijklmnop
	kernel=$(command -v linux.uml) || { why="the package user-mode-linux is not installed"; return 1; }
	modules=/usr/lib/uml/modules
	mkdir -p "$dir/root/lib"
	ln -sfn "$modules" "$dir/root/lib/modules"
	for ((i = 0; i < disks; i++)); do args+=("ubd${letters:i:1}=${images[i]}"); done
	write_env uml /dev/ubd
	# What the kernel does not know goes into the environment of init.
	boot=("$kernel" "mem=$mem" "umid=g$$" "uml_dir=$dir/" root=none rootfstype=hostfs rootflags=/ ro
		${args[@]+"${args[@]}"} con=null "con0=null,fd:1" quiet "init=$SRC/tests/guest-init.sh"
		GUEST_KIND=uml "GUEST_DIR=$dir" "GUEST_SHARE=$share")
}

# A kernel that can mount the host's files, and its modules: below $GUEST_KERNEL, where a package linux-image was
# unpacked, or installed. Prints "IMAGE MODULES-ROOT VERSION".
find_kernel()
{
	local root image version
	for root in ${GUEST_KERNEL:-} ''; do
		for image in "$root"/boot/vmlinuz-*; do
			version=${image##*/vmlinuz-}
			[ -r "$image" ] && [ -n "$(find "$root/lib/modules/$version" -name '9p.ko*' 2>/dev/null)" ] &&
				echo "$image $root/ $version" && return 0
		done
	done
	return 1
}

# An initial file system that does nothing but mount the host's / and go there.
make_initrd() # MODULES-ROOT VERSION
{
	local module line tree=$dir/initrd i=0
	mkdir -p "$tree"/{bin,dev,proc,host,modules}
	cp "$(command -v busybox)" "$tree/bin/busybox"
	{
		echo '#!/bin/busybox sh'
		for module in virtio_pci virtio_blk 9pnet_virtio 9p; do
			modprobe -d "$1" -S "$2" --show-depends "$module" | awk '$1 == "insmod" { print $2 }'
		done | awk '!seen[$0]++' | while read -r line; do
			i=$((i + 1))
			cp "$line" "$tree/modules/$i-${line##*/}"
			echo "/bin/busybox insmod /modules/$i-${line##*/}"
		done
		echo '/bin/busybox mount -t 9p -o trans=virtio,version=9p2000.L,msize=262144,cache=loose,ro host /host'
		echo 'exec /bin/busybox switch_root /host "$GUEST_INIT"'
	} >"$tree/init"
	chmod +x "$tree/init"
	(cd "$tree" && find . | busybox cpio -o -H newc 2>/dev/null) >"$dir/initrd.cpio"
}

kind_qemu()
{
	local qemu image root version args=() i
	qemu=$(command -v qemu-system-x86_64) || { why="the package qemu-system-x86 is not installed"; return 1; }
	command -v busybox >/dev/null || { why="the package busybox-static is not installed"; return 1; }
	read -r image root version < <(find_kernel) ||
		{ why="no kernel with the module 9p below /boot (package linux-image-amd64, not the one for clouds)"; return 1; }
	mkdir -p "$dir/root/lib"
	ln -sfn "${root%/}/lib/modules" "$dir/root/lib/modules"
	make_initrd "$root" "$version"
	for ((i = 0; i < disks; i++)); do
		args+=(-drive "file=${images[i]},format=raw,if=none,id=d$i,discard=unmap" -device "virtio-blk-pci,drive=d$i")
	done
	boot_limit=180
	write_env qemu /dev/vd
	boot=("$qemu" -accel tcg -cpu max -m "$mem" -nodefaults -display none -no-reboot -nic none -serial stdio
		-kernel "$image" -initrd "$dir/initrd.cpio"
		-virtfs "local,path=/,mount_tag=host,security_model=none,readonly=on,multidevs=remap"
		-virtfs "local,path=$share,mount_tag=share,security_model=none,multidevs=remap"
		${args[@]+"${args[@]}"}
		-append "console=ttyS0 quiet panic=-1 mitigations=off random.trust_cpu=on GUEST_KIND=qemu GUEST_DIR=$dir GUEST_SHARE=$share GUEST_INIT=$SRC/tests/guest-init.sh")
}

# ---- booting ------------------------------------------------------------------------------------

running() { kill -0 "$pid" 2>/dev/null; }

# until_there FILE SECONDS: 0 it is there, 1 the guest ended without, 2 time is over.
until_there()
{
	local end=$((SECONDS + $2 + 1)) # SECONDS changes at whole seconds
	until [ -e "$dir/$1" ]; do
		running || { [ -e "$dir/$1" ]; return; }
		[ "$SECONDS" -lt "$end" ] || return 2
		sleep 0.1
	done
}

# Why a kernel did not come up: its last words.
last_words()
{
	local line
	line=$(tr -d '\r' <"$dir/console" | grep -aiE 'panic|error|fail|cannot|denied|not ' | head -n 1)
	[ -n "$line" ] || line=$(tr -d '\r' <"$dir/console" | grep -a . | tail -n 1)
	echo "${line:-it said nothing}" | cut -c 1-200
}

# 0: the script ran (result is set); 1: no guest of this kind (why).
try_kind()
{
	rm -f "$dir"/{ready,status,out,console}
	boot=() why=''
	declare -F "kind_$1" >/dev/null || { why="not a kind of guest"; return 1; }
	"kind_$1" || return 1
	setsid "${boot[@]}" >"$dir/console" 2>&1 </dev/null 9>&- &
	pid=$!
	disown "$pid" # not a word of the shell about how it ended
	start_watch
	until_there ready $boot_limit
	case $? in
	0) ;;
	1) why="it ended while booting: $(last_words)"; end_guest; return 1 ;;
	*) why="not up after $boot_limit s: $(last_words)"; end_guest; return 1 ;;
	esac
	until_there status "$limit"
	case $? in
	0) result=$(<"$dir/status") ;;
	1) result=125 ;;
	*) result=124 ;;
	esac
	[ "$result" != 0 ] || until_ended
	end_guest
}

# It powers itself off; what it does not do within a while is done for it.
until_ended()
{
	local end=$((SECONDS + 5))
	while running && [ "$SECONDS" -lt $end ]; do sleep 0.1; done
}

prepare "$@"
reasons=() result=''
for kind in ${GUEST_KIND:-uml qemu}; do
	if try_kind "$kind"; then
		[ ! -f "$dir/out" ] || cat "$dir/out"
		case $result in
		124) echo "guest.sh: the script did not end within $limit s" ;;
		125)
			echo "guest.sh: the guest ended under the script:"
			tail -n 20 "$dir/console" ;;
		esac
		exit "$result"
	fi
	reasons+=("$kind: $why")
done
printf 'no guest can be had:'
printf ' %s;' "${reasons[@]}"
echo
exit 77
