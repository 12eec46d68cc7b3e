"""``python -m temporacle``."""

from temporacle.cli import program

if __name__ == "__main__":
    program()
