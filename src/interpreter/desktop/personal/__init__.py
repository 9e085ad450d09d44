"""Mail, calendar, contacts, messages: the user's own stores, and on macOS its applications."""
