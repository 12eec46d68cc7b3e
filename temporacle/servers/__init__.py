"""Servers inside annotation tools: the conflict that was just made, in words, and the links that already follow.

door            what every request passes: token, host, size, type; one line of log without bodies
links           what the servers say about a document
label_studio    an ML backend and a webhook of Label Studio
inception       two external recommenders of INCEpTION
"""
