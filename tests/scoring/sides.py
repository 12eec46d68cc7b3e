"""Short ways to write the two sides of a comparison."""

from temporacle.model import Document
from temporacle.reasoner.network import Network
from temporacle.scoring.metric import metric_named


def document(links, name="d"):
    """A document from triples."""
    return Document(name, Network.of(links).links)


def counts(metric, gold, system, **options):
    """The counts of one metric for two lists of triples."""
    chosen = metric_named(metric)
    return chosen.judge(document(gold), document(system), chosen.options(**options)).counts


def has_option(metric, name):
    """Whether a metric has an option of that name."""
    return name in {each.name for each in metric_named(metric).options.declared()}


def links_of_order(order):
    """All atoms between intervals whose endpoints stand in this order of time: ``["C1", "B1", "A1 B2", ...]``."""
    from temporacle.relation import Relation, atom_holding

    time = {point: rank for rank, points in enumerate(order) for point in points.split()}
    names = sorted({point[:-1] for point in time})
    times = {name: (time[name + "1"], time[name + "2"]) for name in names}
    return [(a, Relation.of(atom_holding(times[a], times[b])), b) for k, a in enumerate(names) for b in names[k + 1 :]]
