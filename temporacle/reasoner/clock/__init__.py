"""Links and values of time expressions together: exact reasoning about dates, lengths and zones."""
