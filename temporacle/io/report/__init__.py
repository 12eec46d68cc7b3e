"""Pages for people: plain values in, HTML with SVG drawings out. Nothing here reasons, scores or reads a corpus."""
