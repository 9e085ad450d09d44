"""The words the whole house speaks: plain values and ports, standard library only."""
