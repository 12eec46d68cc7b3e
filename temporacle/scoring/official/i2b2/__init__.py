"""i2b2 2012: events, times and links of clinical notes, as its program scores them."""
