"""How long reading XML documents takes, as a multiple of parsing the same files with lxml and nothing else.

    python bench/reading.py FOLDER [ROUNDS]

Every file is parsed and read in turn, and the best of the rounds counts for each file: so the ratio means something on
a busy machine too. A second line times one pass over the whole folder, listing included.
"""

import sys
from time import perf_counter

from lxml import etree

from temporacle.io import Source, read_corpus, read_source, sources
from temporacle.model import Document


def timed(function, *arguments):
    start = perf_counter()
    function(*arguments)
    return perf_counter() - start


def read_file(path):
    for _ in read_source(Source(path)):
        pass


def bare(files):
    for file in files:
        etree.parse(file)


def main():
    folder = sys.argv[1]
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    files = [source.path for source in sources(folder) if isinstance(source, Source)]
    parsed = dict.fromkeys(files, float("inf"))
    read = dict.fromkeys(files, float("inf"))
    for _ in range(rounds):
        for file in files:
            parsed[file] = min(parsed[file], timed(etree.parse, file))
            read[file] = min(read[file], timed(read_file, file))
    bare_seconds, read_seconds = sum(parsed.values()), sum(read.values())
    links = sum(len(document.links) for document in read_corpus(folder) if isinstance(document, Document))
    print(f"{len(files)} files, {links} links: read {read_seconds:.3f} s, bare parse {bare_seconds:.3f} s")
    print(f"ratio {read_seconds / bare_seconds:.2f}")
    whole = min(timed(lambda: list(read_corpus(folder))) for _ in range(rounds))
    whole_bare = min(timed(bare, files) for _ in range(rounds))
    print(f"the folder in one pass: read {whole:.3f} s, bare parse {whole_bare:.3f} s, ratio {whole / whole_bare:.2f}")


if __name__ == "__main__":
    main()
