"""``python -m mapinspect``: the same as the console script."""

from mapinspect.cli import main

if __name__ == "__main__":
    main()
