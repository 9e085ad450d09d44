# wtf for fish: keeps the last command, its exit code, and (of commands run by `keep`) the output.
set -gx WTF_OUTPUT_FILE ""
function __wtf_after --on-event fish_postexec
    set -l code $status
    string match -q 'wtf*' -- $argv[1]; and return
    set -gx WTF_COMMAND $argv[1]
    set -gx WTF_STATUS $code
    set -gx WTF_DIRECTORY $PWD
    string match -q 'keep *' -- $argv[1]; or set -gx WTF_OUTPUT_FILE ""
end
function keep
    set -q __wtf_file; or set -g __wtf_file (umask 077; mktemp)
    set -gx WTF_OUTPUT_FILE $__wtf_file
    $argv 2>&1 | tee $__wtf_file
    return $pipestatus[1]
end
