"""Scripts that make the tables of the documentation from data beside the project."""
