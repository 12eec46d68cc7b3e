"""Pages for people, in the order in which they come about.

document/     the page of a document: its values, how they are gathered by asking the oracle, and the page
systems/      the page that compares systems with gold, made in the same three steps
drawings      values as SVG: timeline, minimal graph, cycle of a conflict; everything is escaped
html          templates, style, content security policy; names of corpora; certificates on a page
rendering     one document, from reading to HTML, as other processes do it
writing       files: one page, or a page and a folder of pages
notebook      timelines and conflicts as HTML fragments for notebooks
audit_page    an audit as a page

``temporacle.tasks.report`` and ``temporacle.tasks.report_comparison`` put the parts together.
"""
