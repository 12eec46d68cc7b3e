"""Values and drawings as HTML, by templates."""
