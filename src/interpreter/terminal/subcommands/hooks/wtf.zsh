# wtf for zsh: keeps the last command, its exit code, and (of commands run by `keep`) the output.
export WTF_OUTPUT_FILE=
__wtf_before() { case $1 in (wtf*) ;; (*) __wtf_last=$1 ;; esac; }
__wtf_after() {
  local code=$?
  if [[ -n $__wtf_last ]]; then
    export WTF_COMMAND=$__wtf_last WTF_STATUS=$code WTF_DIRECTORY=$PWD
    [[ $__wtf_last == keep\ * ]] || export WTF_OUTPUT_FILE=
    __wtf_last=
  fi
}
autoload -Uz add-zsh-hook
add-zsh-hook preexec __wtf_before
add-zsh-hook precmd __wtf_after
keep() {
  __wtf_file=${__wtf_file:-$(umask 077; mktemp "${TMPDIR:-/tmp}/wtf.XXXXXX")}
  export WTF_OUTPUT_FILE=$__wtf_file
  { "$@" } 2>&1 | tee "$__wtf_file"
  return ${pipestatus[1]}
}
