"""Languages that live in Jupyter kernels, Python first."""
