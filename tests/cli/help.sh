#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Help, version, config, and what is said to a wrong command line.
. "$(dirname "$0")/../helpers.sh"

fstrial help >out
for command in run check plan plugins show compare effects calibrate recover config version help; do
	assert_contains out "  $command "
	fstrial help "$command" >one
	assert_contains one "fstrial $command"
	[ "$(wc -L <one)" -le 100 ] || fail "help $command is wider than 100 columns"
	fstrial "$command" --help >two
	cmp one two || fail "$command --help is not help $command"
	fstrial help --names "$command" >names
	assert_contains names --help
done
assert_eq "$(fstrial help --names | head -n 3 | tr '\n' ' ')" "run check plan "
fstrial --help | cmp - out || fail "--help is not help"

fstrial version >out
assert_contains out "fstrial $(sed -n 's/^#define FSTRIAL_VERSION "\(.*\)"/\1/p' "$BUILD/config.h")"
fstrial --version | cmp - out || fail "--version is not version"
fstrial config >out
for name in plugindir jobdir abi version; do
	grep -q "^$name=." out || fail "config has no $name"
done

# refused MESSAGE ARG...: exit 2, the message on stderr, nothing on stdout.
refused()
{
	local message=$1
	shift
	assert_exit 2 fstrial "$@" >out 2>err
	assert_contains err "$message"
	[ ! -s out ] || fail "something on standard output: fstrial $*"
}

refused 'what is to be done'
refused 'there is no command runn; did you mean run?' runn
refused 'there is no command frobnicate; "fstrial help" lists them' frobnicate
refused 'there is no command chekc; did you mean check?' help chekc
refused 'unknown option --dryrun; did you mean --dry-run?' run --dryrun x.job
refused 'run: something is missing: fstrial run JOB' run
refused 'run: one too many: b.job' run a.job b.job
refused 'config: one too many: x' config x
refused '--out needs a value' run x.job --out
refused '--format xml: must be one of text, json' run x.job --format xml
refused '--repeats 0: must be between 1 and' plan x.job --repeats 0
refused 'no/such' plugins --plugin-dir no/such
refused 'no/such' show no/such
refused 'no/such.job' check no/such.job

# A full disk is no success.
if [ -w /dev/full ]; then
	assert_exit 1 fstrial help >/dev/full 2>err
	assert_contains err "cannot write to standard output"
fi
