"""Checks: claims about an image, each answered by outcomes."""
