"""Reports: one result rendered as one text."""
