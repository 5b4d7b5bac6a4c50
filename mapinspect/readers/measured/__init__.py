"""What devices measured: RAM dumps, logs of RTOSes and runtimes, and neutral tables."""
