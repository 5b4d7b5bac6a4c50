"""Benchmarks of the map reader: workloads made by linking, peers, and what they took."""
