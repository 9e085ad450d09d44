"""A browser: what is on a page, what is meant on it, and the page as Markdown."""
