"""A session as a file: Markdown, HTML, notebook, script, JSON."""
