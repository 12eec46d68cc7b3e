"""Values as SVG."""
