# The same for zsh; its variables are those that can be set again.
() {
    emulate -L zsh
    setopt no_err_exit no_err_return no_xtrace unset
    local -A __reploop_options=("$@")
    local __reploop_name
    for __reploop_name in ${(k)parameters}; do
        : $parameters[$__reploop_name] # a look loads the module, which brings more of them
    done
    print -l zsh @section@
    print -r -- ${(M)${(k)parameters}:#[A-Za-z_]*}
    print @section@
    print -r -- ${(k)functions}
    print @section@
    for __reploop_name in ${(M)${(k)parameters}:#[A-Za-z_]*}; do
        case $__reploop_name:$parameters[$__reploop_name] in
            # What cannot be set again, what is ours, and what zsh itself keeps.
            __reploop_*|*:*readonly*|*:*local*|PWD:*|OLDPWD:*|SHLVL:*|_:*) ;;
            *:*export*) typeset -p $__reploop_name ;;
            *:*special*) ;;
            *) typeset -p $__reploop_name ;;
        esac
    done
    print @section@
    typeset -f
    alias -L
    print -rn -- "cd -- ${(q)PWD}; umask "
    umask
    for __reploop_name in ${(k)__reploop_options}; do
        [[ $__reploop_options[$__reploop_name] = on ]] && print -r -- "setopt $__reploop_name" ||
            print -r -- "unsetopt $__reploop_name"
    done
} ${(kv)options[@]}
