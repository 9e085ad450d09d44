# Prints what a bash holds, in sections: its kind, the names of variables and of functions, the
# variables, and a script for all else. Sourced at the top level; it starts no other process.
if [ -z "${BASH_VERSION-}" ]; then
    printf 'unsupported\n'
else
    printf 'bash\n@section@\n'
    compgen -v || : # under `set -e`, too
    printf '@section@\n'
    compgen -A function || :
    printf '@section@\n'
    declare -p
    printf '@section@\n'
    declare -f
    alias -p
    shopt -p
    printf 'cd -- %q\n' "$PWD"
    umask -p
    set +o
fi
