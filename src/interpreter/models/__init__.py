"""Language models, from hosted ones to a script, behind one port."""
