"""The face in a terminal: prompt, rendering, approvals, commands."""
