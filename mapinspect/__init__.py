"""mapinspect: where every byte of a TinyML firmware went, and whether it may stay there."""

__version__ = "0.1.0"
