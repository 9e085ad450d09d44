"""Variables of a live REPL: listed, shown, kept and put back."""
