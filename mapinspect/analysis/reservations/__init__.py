"""Stacks and heaps of an image, by the conventions of linker scripts, start-up code and RTOSes."""
