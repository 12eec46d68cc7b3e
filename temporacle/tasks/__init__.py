"""Jobs: documents or paths in, typed results out. The command line calls these functions, and so does ``import
temporacle as tp``.

inputs       what people hold (paths, documents, statements, frames) as documents
check        which documents contradict themselves; check_files: the certificates and repaired documents it writes
provenance   what a certificate says about the file it was made from
"""
