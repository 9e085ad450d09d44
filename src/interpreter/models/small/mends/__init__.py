"""What is put right in programs of small models without asking them: what is certain, no more."""
