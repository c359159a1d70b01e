"""`python -m murxpy`."""

from murxpy.cli import main

if __name__ == "__main__":
    main()
