"""Published algorithms that Temporacle runs and compares, outside every journey."""
