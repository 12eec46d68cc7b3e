"""Files of annotation tools: brat, UIMA CAS (INCEpTION, WebAnno), Label Studio, MAE, Prodigy, doccano.

Each reader turns its file into the same two things: marks (annotated spans) and arrows (relations between them). What
of that is temporal, and what it means, is decided in one place (``assembly``), by names or by the user's ``mapping``.
"""
