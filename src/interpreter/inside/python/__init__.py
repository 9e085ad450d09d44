"""The Python kernel: beside ipykernel, in the user's own Python."""
