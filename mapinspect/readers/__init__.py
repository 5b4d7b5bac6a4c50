"""Readers: one file of one kind in, records out; they judge nothing."""
