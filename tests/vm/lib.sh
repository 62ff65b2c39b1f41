# SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
# shellcheck shell=bash
#
# What the scripts of the VM runner share. Sourced, never run.

# Where mkfs and depmod are, which an ordinary user's PATH often lacks.
PATH=$PATH:/usr/sbin:/sbin

# The runner's own failures, as opposed to COMMAND's (see `run --help`).
readonly EXIT_RUNNER_FAILED=125

fail() {
	printf '%s: %s\n' "${0##*/}" "$1" >&2
	shift
	(($# == 0)) || printf '  %s\n' "$@" >&2
	exit "$EXIT_RUNNER_FAILED"
}

note() {
	printf '%s: %s\n' "${0##*/}" "$*" >&2
}

cache_dir() {
	local cache=${RF_VM_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/ringfence/vm}

	mkdir -p "$cache" || fail "cannot create the cache $cache" \
		"Set RF_VM_CACHE to a directory you can write to."
	(cd "$cache" && pwd -P)
}

# require_tools TOOL:PACKAGE...: one error that names every missing package.
require_tools() {
	local pair missing=() packages=()

	for pair in "$@"; do
		command -v "${pair%%:*}" >/dev/null && continue
		missing+=("${pair%%:*}")
		packages+=("${pair#*:}")
	done
	((${#missing[@]} == 0)) ||
		fail "missing: ${missing[*]}" \
			"Install them with: apt-get install ${packages[*]}"
}

# The line of kernels.list for a label, as: label package suite...
kernel_line() {
	local list=$1 label=$2 line

	line=$(grep -E "^${label//./\\.}[[:space:]]" "$list") ||
		fail "no kernel is called '$label'" \
			"Labels: $(grep -vE '^(#|[[:space:]]*$)' "$list" | cut -f1 | tr '\n' ' ')"
	printf '%s\n' "$line"
}
