# The same for zsh. An exit trap of the user's replaces ours and stays until the session ends.
PS1= PS2=
unsetopt monitor notify prompt_cr prompt_sp bang_hist
unset HISTFILE
__reploop_marks=$REPLOOP_DIRECTORY/marks
__reploop_state=$REPLOOP_DIRECTORY/state
unset REPLOOP_DIRECTORY

__reploop_leave() { builtin return $?; }

__reploop_done() {
    local __reploop_status=$?
    builtin trap - INT
    builtin printf '%s %s\n' "$1" "$__reploop_status" 3<>"$__reploop_marks" >&3 # to write only would wait for a host that is gone
    builtin return $__reploop_status
}

# `exit` calls the hook, a failure under `set -e` only the trap; the first to come keeps the state.
zshexit() { __reploop_save; }
TRAPEXIT() { __reploop_save; }

__reploop_save() {
    local __reploop_status=$?
    [[ $ZSH_SUBSHELL = 0 && ! -e $__reploop_state ]] || return 0
    local __reploop_options=(${(k)options[(R)on]})
    builtin setopt local_options no_err_exit unset
    {
        builtin printf '# %s\n' $__reploop_status
        builtin typeset -p
        builtin typeset -f
        builtin alias -L
        builtin printf 'cd -- %q\numask %s\n' "$PWD" "$(builtin umask)"
        builtin printf 'setopt %s\n' $__reploop_options
    } >|"$__reploop_state.new" 2>/dev/null
    command mv -f "$__reploop_state.new" "$__reploop_state"
}
