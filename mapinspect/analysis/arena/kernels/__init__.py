"""What each kernel takes of the arena, for the reference kernels and the optimised sets."""
