"""Pages for people, in the order in which they come about.

values/       what a page shows, as plain values (document, systems), and how much of it (limits)
names         what corpora and paths are called
gathering/    finds these values: document, conflicts and entities ask the oracle, scores the scorers, reasons explains
              every link of a system, systems joins them
drawings/     values as SVG: timeline_bars, minimal_graph, conflict_cycle, score_plots; svg escapes everything, captions
              names entities
pages/        values and drawings as HTML: html (templates, style, content security policy), document, systems
rendering     one document, from reading to HTML, as other processes do it; rendering_systems: with answers to it
writing       files: one page, or a page and a folder of pages
notebook      timelines and conflicts as HTML fragments for notebooks

Subjects have the same name in every folder: ``document`` is about a corpus, ``systems`` about a comparison with gold.
``temporacle.tasks.report`` and ``temporacle.tasks.report_comparison`` put the parts together.
"""
