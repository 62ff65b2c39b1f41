# SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
# shellcheck shell=bash
#
# bash completion for ringfence; installed as share/bash-completion/completions/ringfence.

# What -p and the like take: names in the places that policies are looked up in, and files.
_ringfence_policies() {
	local directory file

	for directory in /etc/ringfence/policy {/usr/local,/usr}/share/ringfence/policy; do
		for file in "$directory"/{,agents/,toolchains/}*.json; do
			[[ -e $file ]] || continue
			file=${file##*/}
			printf '%s\n' "${file%.json}"
		done
	done
}

_ringfence_options() {
	case $1 in
	run) echo '-p --policy --policy-path --audit --events --record --name --user -v --verbose' ;;
	check) echo '--allow-open --json --policy-path --print --project --user' ;;
	explain) echo '--json -p --policy --policy-path --project --user' ;;
	events) echo '-f --follow --fence --since --verdict --json' ;;
	doctor) echo '--json' ;;
	esac
}

# Position of PROGRAM on the command line of `run`, or nothing if it is still to come.
_ringfence_program() {
	local i

	for ((i = 2; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		--) echo $((i + 1)) && return ;;
		-p | --policy | --policy-path | --events | --record | --name | --user)
			[[ ${COMP_WORDS[i + 1]} == = ]] && i=$((i + 1))
			i=$((i + 1))
			;;
		-*) ;;
		*) echo "$i" && return ;;
		esac
	done
}

# Words for the value of the option $1; fails if it takes none.
_ringfence_value() {
	case $1 in
	-p | --policy)
		mapfile -t COMPREPLY < <(compgen -W "$(_ringfence_policies)" -- "$2"; compgen -f -- "$2")
		;;
	--policy-path | --project) mapfile -t COMPREPLY < <(compgen -d -- "$2") ;;
	--events | --record) mapfile -t COMPREPLY < <(compgen -f -- "$2") ;;
	--user) mapfile -t COMPREPLY < <(compgen -u -- "$2") ;;
	--verdict) mapfile -t COMPREPLY < <(compgen -W 'allow ask hide deny' -- "$2") ;;
	--name | --fence | --since) ;;
	*) return 1 ;;
	esac
}

_ringfence() {
	local verb=${COMP_WORDS[1]} current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
	local program

	COMPREPLY=()
	if ((COMP_CWORD == 1)); then
		mapfile -t COMPREPLY < <(compgen -W 'run check explain events doctor help --help --version' -- "$current")
		return
	fi
	if [[ $verb == run ]]; then
		program=$(_ringfence_program)
		if [[ -n $program ]]; then
			declare -F _command_offset >/dev/null && _command_offset "$program"
			return
		fi
	fi
	# The line is split at "=".
	if [[ $before == = ]]; then
		before=${COMP_WORDS[COMP_CWORD - 2]}
	elif [[ $current == = ]]; then
		current=
	fi
	_ringfence_value "$before" "$current" && return
	if [[ $current == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$(_ringfence_options "$verb") --help --usage" -- "$current")
		return
	fi
	case $verb in
	run) mapfile -t COMPREPLY < <(compgen -c -- "$current") ;;
	check) mapfile -t COMPREPLY < <(compgen -W "$(_ringfence_policies)" -- "$current"; compgen -f -- "$current") ;;
	explain)
		mapfile -t COMPREPLY < <(((COMP_CWORD == 2)) && compgen -W 'read write execute connect' -- "$current"; compgen -f -- "$current")
		;;
	events) mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
	esac
}

complete -o filenames -F _ringfence ringfence
