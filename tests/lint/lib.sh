# SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
# shellcheck shell=bash
#
# What the checks share. They run in the top directory of the repository.

# project_files [PATTERN...]: files that are in the repository or about to be, one a line.
project_files() {
	local file

	git ls-files --cached --others --exclude-standard -- "$@" | sort -u |
		while IFS= read -r file; do [[ ! -f $file ]] || printf '%s\n' "$file"; done
}

# need TOOL: a check that cannot run has not passed.
need() {
	command -v "$1" >/dev/null && return
	echo "$1 is not installed; install the package of that name"
	exit 1
}
