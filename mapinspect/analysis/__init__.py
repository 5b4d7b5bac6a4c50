"""Analysis: records joined into facts about the image."""
