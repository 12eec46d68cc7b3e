"""The workbench: a local server for a page on which people see and mend the links of a corpus.

    guard       who may ask: token, Host, Origin; headers of every answer; limits
    routes      addresses and what they answer; ``answers`` makes JSON of it
    files       the pages, scripts and styles
    corpus      the documents, with verdicts that are decided in the background; ``confines`` keeps it inside its paths
    desk        the documents that are open (``opened``), each with its session
    saving      into files; ``adjudicating`` and ``third``: a third version of two annotations
    journal     unsaved edits on the disk
    server      socket and event loop

Starlette and uvicorn (the extra ``workbench``) are imported only in this package. Nothing here reasons: what is judged
is judged by ``tasks.session``.
"""
