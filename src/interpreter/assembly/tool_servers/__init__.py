"""Servers of tools in a session: started, logged in to, offered to code and to the model."""
