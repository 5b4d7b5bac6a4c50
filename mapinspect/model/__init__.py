"""The records that all layers speak."""
