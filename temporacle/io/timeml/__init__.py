"""TimeML and its variants: read, written and edited."""
