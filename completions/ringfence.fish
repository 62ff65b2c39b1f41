# SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
#
# fish completion for ringfence; installed as share/fish/vendor_completions.d/ringfence.fish.

function __ringfence_policies
    for file in {/etc/ringfence/policy,/usr/local/share/ringfence/policy,/usr/share/ringfence/policy}/{,agents/,toolchains/}*.json
        string replace -r '\.json$' '' (basename $file)
    end
end

# Whether the verb is $argv[1].
function __ringfence_verb
    set -l words (commandline -opc)
    test (count $words) -ge 2; and test $words[2] = $argv[1]
end

function __ringfence_no_verb
    test (count (commandline -opc)) -eq 1
end

complete -c ringfence -f
complete -c ringfence -n __ringfence_no_verb -a run -d 'run a program in a new fence'
complete -c ringfence -n __ringfence_no_verb -a check -d 'compile and lint policies'
complete -c ringfence -n __ringfence_no_verb -a explain -d 'what a policy answers, and which rule says so'
complete -c ringfence -n __ringfence_no_verb -a events -d 'print recorded refusals'
complete -c ringfence -n __ringfence_no_verb -a doctor -d 'what this kernel can enforce'
complete -c ringfence -n __ringfence_no_verb -a help -d 'list the verbs'
complete -c ringfence -n __ringfence_no_verb -l version -d 'print the version'
complete -c ringfence -l help -d 'list the options'

complete -c ringfence -n '__ringfence_verb run' -s p -l policy -x -a '(__ringfence_policies) (__fish_complete_suffix .json)' -d 'policy file or name'
complete -c ringfence -n '__ringfence_verb run' -l policy-path -x -a '(__fish_complete_directories)' -d 'look for policies there first'
complete -c ringfence -n '__ringfence_verb run' -l audit -d 'refuse nothing, record what would be refused'
complete -c ringfence -n '__ringfence_verb run' -l events -r -F -d 'file for events, - for standard error'
complete -c ringfence -n '__ringfence_verb run' -l record -r -F -d 'append what is allowed to FILE'
complete -c ringfence -n '__ringfence_verb run' -l name -x -d 'what events call the fence'
complete -c ringfence -n '__ringfence_verb run' -l user -x -a '(__fish_complete_users)' -d 'run as this user'
complete -c ringfence -n '__ringfence_verb run' -s v -l verbose -d 'say more of what is done'
complete -c ringfence -n '__ringfence_verb run' -x -a '(__fish_complete_subcommand --fcs-skip=2)'

complete -c ringfence -n '__ringfence_verb check' -l allow-open -d 'accept a policy that allows every destination'
complete -c ringfence -n '__ringfence_verb check' -l json -d 'print one JSON object a policy'
complete -c ringfence -n '__ringfence_verb check' -l policy-path -x -a '(__fish_complete_directories)' -d 'look for policies there first'
complete -c ringfence -n '__ringfence_verb check' -l print -d 'print the compiled form'
complete -c ringfence -n '__ringfence_verb check' -l project -x -a '(__fish_complete_directories)' -d 'the project is around this directory'
complete -c ringfence -n '__ringfence_verb check' -l user -x -a '(__fish_complete_users)' -d 'the policy is for this user'
complete -c ringfence -n '__ringfence_verb check' -F -a '(__ringfence_policies)'

complete -c ringfence -n '__ringfence_verb explain' -l json -d 'print one JSON object'
complete -c ringfence -n '__ringfence_verb explain' -s p -l policy -x -a '(__ringfence_policies) (__fish_complete_suffix .json)' -d 'policy file or name'
complete -c ringfence -n '__ringfence_verb explain' -l policy-path -x -a '(__fish_complete_directories)' -d 'look for policies there first'
complete -c ringfence -n '__ringfence_verb explain' -l project -x -a '(__fish_complete_directories)' -d 'the project is around this directory'
complete -c ringfence -n '__ringfence_verb explain' -l user -x -a '(__fish_complete_users)' -d 'the policy is for this user'
complete -c ringfence -n '__ringfence_verb explain' -F -a 'read write execute connect'

complete -c ringfence -n '__ringfence_verb events' -s f -l follow -d 'go on with what is written later'
complete -c ringfence -n '__ringfence_verb events' -l fence -x -d 'only events of this fence'
complete -c ringfence -n '__ringfence_verb events' -l since -x -d 'only events from then on'
complete -c ringfence -n '__ringfence_verb events' -l verdict -x -a 'allow ask hide deny' -d 'only events with this verdict'
complete -c ringfence -n '__ringfence_verb events' -l json -d 'print matching lines as they are'
complete -c ringfence -n '__ringfence_verb events' -F

complete -c ringfence -n '__ringfence_verb doctor' -l json -d 'print one JSON object'
