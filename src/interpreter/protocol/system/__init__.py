"""The system around us: programs, system calls, sockets, and places that run by themselves."""
