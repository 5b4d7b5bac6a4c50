"""Example linker scripts that ship with mapinspect."""
