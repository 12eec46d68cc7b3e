"""Pages for people: values gathered from the oracle and the scorers, drawn as SVG, written as HTML."""
