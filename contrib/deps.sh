#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Installs what is missing of the programs and libraries below: contrib/deps.sh [--check] [GROUP]...
#
# Groups: build, run, test (these three when none is named), dev (also when DEVTOOLS=1), apps: servers that jobs
# run on the file system under trial, and whose packages may start one of their own when they are installed. As root
# it installs; otherwise, and with --check, it prints the command to type and ends with status 1.
set -eu

# A program in the second column that is found stands for its package, wherever it came from. A
# distribution without the package has "-": what needs it is skipped there.
table()
{
	cat <<-'END'
	# group program        apt                   dnf                    zypper
	build   gcc            gcc                   gcc                    gcc
	build   make           make                  make                   make
	build   pkg-config     pkg-config            pkgconf-pkg-config     pkg-config
	build   -              libc6-dev             glibc-devel            glibc-devel
	build   -              libconfig-dev         libconfig-devel        libconfig-devel
	build   -              libjansson-dev        jansson-devel          libjansson-devel
	build   -              libblkid-dev          libblkid-devel         libblkid-devel
	build   -              libmount-dev          libmount-devel         libmount-devel
	build   -              libgsl-dev            gsl-devel              gsl-devel
	build   -              liburing-dev          liburing-devel         liburing-devel
	build   -              libaio-dev            libaio-devel           libaio-devel
	build   -              xfslibs-dev           xfsprogs-devel         xfsprogs-devel
	build   -              libext2fs-dev         e2fsprogs-devel        libext2fs-devel
	run     mkfs.xfs       xfsprogs              xfsprogs               xfsprogs
	run     mkfs.ext4      e2fsprogs             e2fsprogs              e2fsprogs
	run     blkid          util-linux            util-linux             util-linux
	run     losetup        mount                 util-linux             util-linux
	test    -              libcunit1-dev         CUnit-devel            cunit-devel
	test    -              python3-jsonschema    python3-jsonschema     python3-jsonschema
	test    strace         strace                strace                 strace
	test    objdump        binutils              binutils               binutils
	test    g++            g++                   gcc-c++                gcc-c++
	test    fio            fio                   fio                    fio
	apps    -              postgresql            postgresql-server      postgresql-server
	apps    pgbench        postgresql-contrib    postgresql-contrib     postgresql-contrib
	test    linux.uml      user-mode-linux       -                      -
	test    busybox        busybox-static        busybox                busybox-static
	test    modprobe       kmod                  kmod                   kmod
	test    lvm            lvm2                  lvm2                   lvm2
	test    mdadm          mdadm                 mdadm                  mdadm
	test    dmsetup        dmsetup               device-mapper          device-mapper
	test    mkfs.btrfs     btrfs-progs           btrfs-progs            btrfsprogs
	dev     clang          clang                 clang                  clang
	dev     clang-tidy     clang-tidy            clang-tools-extra      clang-tools
	dev     clang-format   clang-format          clang-tools-extra      clang-tools
	dev     cppcheck       cppcheck              cppcheck               cppcheck
	dev     shellcheck     shellcheck            ShellCheck             ShellCheck
	dev     git            git                   git-core               git-core
	END
}

PATH=$PATH:/usr/sbin:/sbin
check=no groups=()
for arg; do
	case $arg in
	--check) check=yes ;;
	build | run | test | dev | apps) groups+=("$arg") ;;
	*) echo "usage: deps.sh [--check] [build|run|test|dev|apps]..." >&2; exit 2 ;;
	esac
done
[ ${#groups[@]} -gt 0 ] || groups=(build run test)
[ "${DEVTOOLS:-}" != 1 ] || groups+=(dev)

if command -v apt-get >/dev/null && command -v dpkg-query >/dev/null; then
	column=3
	install=(apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends)
elif command -v dnf >/dev/null; then
	column=4
	install=(dnf install -y)
elif command -v zypper >/dev/null; then
	column=5
	install=(zypper --non-interactive install)
else
	column=2
fi

is_installed() # PACKAGE
{
	case $column in
	3) dpkg-query -W -f='${Status}\n' "$1" 2>/dev/null | grep -q '^install ok installed' ;;
	4 | 5) rpm -q --whatprovides "$1" >/dev/null 2>&1 ;;
	esac
}

if [ $column = 2 ]; then
	echo "neither apt-get, dnf nor zypper is here; these are needed (names as in Debian):"
	table | awk -v g=" ${groups[*]} " '!/^#/ && index(g, " " $1 " ") { print "  " $3 }'
	exit 1
fi

missing=()
while read -r group program packages; do
	case " ${groups[*]} " in *" $group "*) ;; *) continue ;; esac
	[ "$program" = - ] || ! command -v "$program" >/dev/null || continue
	package=$(echo "$packages" | awk -v n=$((column - 2)) '{ print $n }')
	[ "$package" = - ] || is_installed "$package" || missing+=("$package")
done < <(table | grep -v '^#')

if [ ${#missing[@]} -eq 0 ]; then
	[ $check = yes ] || echo "nothing is missing"
	exit 0
fi
mapfile -t missing < <(printf '%s\n' "${missing[@]}" | sort -u)

if [ $check = yes ] || [ "$(id -u)" != 0 ]; then
	echo "missing: ${missing[*]}"
	echo "To install, type:"
	echo "  sudo ${install[*]} ${missing[*]}"
	exit 1
fi
echo "installing: ${missing[*]}"
if [ $column = 3 ]; then
	export DEBIAN_FRONTEND=noninteractive
	apt-get -q -o DPkg::Lock::Timeout=300 update
fi
"${install[@]}" "${missing[@]}"
