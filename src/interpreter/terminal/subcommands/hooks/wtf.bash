# wtf for bash: keeps the last command, its exit code, and (of commands run by `keep`) the output.
export WTF_OUTPUT_FILE=
__wtf_last=
__wtf_before() { [ -n "$COMP_LINE" ] || case $BASH_COMMAND in wtf*|__wtf_*|"$PROMPT_COMMAND") ;; *) __wtf_last=$BASH_COMMAND;; esac; }
__wtf_after() {
  local status=$?
  if [ -n "$__wtf_last" ]; then
    export WTF_COMMAND=$__wtf_last WTF_STATUS=$status WTF_DIRECTORY=$PWD
    case $__wtf_last in keep\ *) ;; *) export WTF_OUTPUT_FILE= ;; esac
    __wtf_last=
  fi
  return $status
}
trap __wtf_before DEBUG
PROMPT_COMMAND="__wtf_after${PROMPT_COMMAND:+; $PROMPT_COMMAND}"
keep() {
  __wtf_file=${__wtf_file:-$(umask 077; mktemp "${TMPDIR:-/tmp}/wtf.XXXXXX")}
  export WTF_OUTPUT_FILE=$__wtf_file
  { "$@"; } 2>&1 | tee "$__wtf_file"
  return "${PIPESTATUS[0]}"
}
