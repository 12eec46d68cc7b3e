"""Jobs: documents or paths in, typed results out. The command line calls these functions, and so does ``import
temporacle as tp``.

inputs     what people hold (paths, documents, statements, frames) as documents
"""
