"""``python -m temporacle``."""

from temporacle.cli import main

if __name__ == "__main__":
    main()
