"""What budget table an image should have: today's use with room to grow, and the usual policy."""
