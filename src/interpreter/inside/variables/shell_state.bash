# Prints what a bash holds: its kind, the names of variables and functions, and a script that makes
# them again. Sourced at the top level.
if [ -z "${BASH_VERSION-}" ]; then
    printf 'unsupported\n'
else
    printf 'bash\n'
    printf '%s ' $(compgen -v)
    printf '\n'
    printf '%s ' $(compgen -A function)
    printf '\n'
    # Without what cannot be set again: read-only variables, and those that bash itself keeps.
    declare -p | awk '
        /^declare -[^ ]+ [A-Za-z_]/ {
            name = $3
            sub(/=.*/, "", name)
            kept = $2 !~ /r/ && name !~ /^(BASH.*|DIRSTACK|EPOCH.*|FUNCNAME|GROUPS|LINENO|OPT.*|_)$/
            kept = kept && name !~ /^(COMP_.*|HIST.*|PIPESTATUS|RANDOM|SECONDS|SRANDOM|PPID|E?UID)$/
        }
        kept'
    declare -f
    alias -p
    shopt -p
    printf 'cd -- %q\numask %s\n' "$PWD" "$(umask)"
    set +o
fi
