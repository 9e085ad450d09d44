"""Pictures in a terminal: by kitty's, iTerm2's or the sixel protocol, or with half blocks."""
