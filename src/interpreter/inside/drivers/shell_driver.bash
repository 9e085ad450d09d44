# Read once by an interactive bash whose standard input is the host: each block is then sourced as
# one unit, and its end is told on a pipe of its own. Works with bash 3.2 and newer.
PS1= PS2=
set +o history
history -c
set +H
unset HISTFILE MAILCHECK
__reploop_marks=$REPLOOP_DIRECTORY/marks
__reploop_state=$REPLOOP_DIRECTORY/state
unset REPLOOP_DIRECTORY

# The end of a block that came to its end: what it wanted done at exit is done now.
__reploop_leave() {
    local __reploop_status=$?
    if [ -n "${__reploop_at_exit-}" ]; then
        local __reploop_action=$__reploop_at_exit
        __reploop_at_exit=
        builtin eval "$__reploop_action"
    fi
    builtin return "$__reploop_status"
}

__reploop_done() {
    local __reploop_status=$?
    builtin trap - INT # a block that ignores the interrupt does so for itself only
    builtin printf '%s %s\n' "$1" "$__reploop_status" 3<>"$__reploop_marks" >&3 # to write only would wait for a host that is gone
    builtin return "$__reploop_status"
}

# `exit` (and a failure under `set -e`) ends this process; the next one goes on from what is kept here.
__reploop_exit() {
    local __reploop_status=$?
    __reploop_leave
    builtin trap - EXIT
    {
        builtin printf '# %s\n' "$__reploop_status"
        builtin declare -p
        builtin declare -f
        builtin alias -p
        builtin shopt -p
        builtin trap -p
        builtin printf 'cd -- %q\numask %s\n' "$PWD" "$(builtin umask)"
        builtin set +o
    } >"$__reploop_state.new" 2>/dev/null
    command mv -f "$__reploop_state.new" "$__reploop_state"
}

# EXIT belongs to us; the block's own exit action runs when the block ends.
trap() {
    if [ "$BASH_SUBSHELL" != 0 ] || [ $# -lt 2 ] || [ "$1" = -p ] || [ "$1" = -l ]; then
        builtin trap "$@"
        return
    fi
    [ "$1" != -- ] || shift
    local __reploop_action=$1 __reploop_signal
    shift
    for __reploop_signal in "$@"; do
        case $__reploop_signal in
            EXIT | exit | SIGEXIT | 0)
                __reploop_at_exit=$__reploop_action
                [ "$__reploop_action" != - ] || __reploop_at_exit=
                ;;
            *) builtin trap -- "$__reploop_action" "$__reploop_signal" ;;
        esac
    done
}
builtin trap __reploop_exit EXIT
