"""Build-system files that users include."""
