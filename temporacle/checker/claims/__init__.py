"""One file for each claim, or for claims that are checked alike. ``certificate.CLAIMS`` lists them."""
