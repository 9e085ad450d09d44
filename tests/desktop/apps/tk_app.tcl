# A window of Tk that writes what happened to it into a file: wish tk_app.tcl FILE X Y
lassign $argv path left top
set clicked {}
wm title . "Tk shop"
wm geometry . 360x200+$left+$top
proc quoted {text} {
    set text [string map {\\ \\\\ \" \\\" \n \\n \t \\t} $text]
    return "\"$text\""
}
proc note {args} {
    global path clicked
    set names [lmap one $clicked {quoted $one}]
    set file [open $path.new w]
    fconfigure $file -encoding utf-8
    puts $file "{\"text\": [quoted [.line get]], \"clicked\": \[[join $names ,]\]}"
    close $file
    file rename -force $path.new $path
}
set content ""
pack [entry .line -textvariable content] -fill x
foreach name {"Order Tea" "Order Coffee"} {
    set id .b[incr number]
    pack [button $id -text $name -command "lappend clicked {$name}; note"] -fill x
}
trace add variable content write note
after 10 note
