"""The interpreter in IPython and Jupyter."""
