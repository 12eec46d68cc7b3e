"""Two external recommenders of INCEpTION. The protocol is that of its reference implementation for Python.

    POST /entailed/predict     a relation layer: links that follow from the annotation and are not stated
    POST /conflicts/predict    a span layer: a span over each end of a conflict, with the number of the conflict
    POST /NAME/train           nothing is learnt: 204
    GET  /health               that the server is there

An answer is the document of the request with suggestions in it; everything else stays byte for byte. A document that
cannot be used comes back unchanged; a request without a document gets 400.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route

from temporacle.errors import TemporacleError
from temporacle.io import read_source
from temporacle.io.source import Source
from temporacle.io.tools.cas_edit import NewAnnotation, with_annotations
from temporacle.model import Document, Link, skipped_links, skipped_words
from temporacle.servers.door import body_of, tell_of, worked_out
from temporacle.servers.sentences import Asked, known, said, suggested
from temporacle.web import answer, failure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from starlette.requests import Request

    from temporacle.calendar.policy import Calendar
    from temporacle.io.source import Options

    Recommender = Callable[[Document, Asked], Iterator[NewAnnotation]]


def application(options: Options, *, seconds: float, calendar: Calendar | None = None) -> Starlette:
    """Return the server. ``seconds``: the time limit for each document."""
    asked = Asked(options, seconds, calendar)

    async def health(_: Request) -> Response:
        return answer({"status": "UP", "recommenders": sorted(RECOMMENDERS)})

    async def predict(request: Request) -> Response:
        recommender = RECOMMENDERS.get(request.path_params["name"])
        if recommender is None:
            return failure(404, f"there are two recommenders: {', '.join(RECOMMENDERS)}")
        body = await body_of(request)
        stated = body.get("document") if isinstance(body, dict) else None
        xmi = stated.get("xmi") if isinstance(stated, dict) else None
        if not isinstance(xmi, str):
            return failure(400, "the request has no document.xmi")
        document, skipped = await worked_out(with_suggestions, xmi, body.get("metadata"), recommender, asked)
        # INCEpTION refuses answers with keys that it does not know.
        return answer({"document": document}, headers={"X-Skipped-Links": skipped} if skipped else {})

    async def train(request: Request) -> Response:
        await body_of(request)
        return Response(status_code=204)

    return Starlette(
        routes=[
            Route("/health", health),
            Route("/{name}/predict", predict, methods=["POST"]),
            Route("/{name}/train", train, methods=["POST"]),
        ]
    )


def with_suggestions(xmi: str, metadata: Any, recommender: Recommender, asked: Asked) -> tuple[str, str]:
    """Return a document with suggestions in it, and which of its links were skipped.

    The document stays as it is if there are no suggestions or it cannot be used.
    """
    layer, feature = (metadata.get(key) if isinstance(metadata, dict) else None for key in ("layer", "feature"))
    if not (isinstance(layer, str) and isinstance(feature, str) and layer and feature):
        return xmi, ""
    try:
        source = Source("document", xmi.encode(), asked.options, format="xmi", name="document")
        read = [document for document in read_source(source) if isinstance(document, Document)]
        skipped = skipped_words(skipped_links(remark for document in read for remark in document.remarks)).lstrip(", ")
        new = [
            each._replace(type=layer, features=_predicted(feature, each, skipped))
            for document in read
            for each in recommender(document, asked)
        ]
        return (with_annotations(source, new).decode() if new else xmi), skipped
    except (TemporacleError, ValueError, RecursionError):  # ValueError: a character that cannot be encoded
        return xmi, ""
    except Exception as error:  # noqa: BLE001 - the tool gets its empty answer
        tell_of(error)
        return xmi, ""


def _predicted(feature: str, new: NewAnnotation, skipped: str) -> dict[str, str]:
    """Return the features of a suggestion, with what INCEpTION needs to show it."""
    label, reason, ends = new.features["label"], new.features["reason"], ("Governor", "Dependent")
    reason += f" (other links: {skipped})" if skipped else ""
    found = {name: new.features[name] for name in ends if name in new.features}
    found |= {feature: label, f"{feature}_score": "1.0", f"{feature}_score_explanation": reason}
    return found | {"inception_internal_predicted": "true"}


def entailed(document: Document, asked: Asked) -> Iterator[NewAnnotation]:
    """Yield the links that follow, in labels that the document uses; in those of its label set if it has none."""
    used = dict.fromkeys(link.label for link in document.links if link.label)
    labels = known(used or document.reading.labels, document)
    for each in suggested(document, labels, asked):
        ends = {"Governor": each.source, "Dependent": each.target}
        yield NewAnnotation("", each.target, {**ends, "label": each.label, "reason": f"follows from: {each.because}"})


def conflicts(document: Document, asked: Asked) -> Iterator[NewAnnotation]:
    """Yield a span over each end of each conflict."""
    for number, conflict in enumerate(asked.judged(document).conflicts, 1):
        words = said(document, conflict)
        ends = (end for each in conflict if isinstance(each, Link) for end in (each.source, each.target))
        for end in dict.fromkeys(ends):
            yield NewAnnotation(
                "", end, {"label": str(number), "reason": f"These links contradict each other: {words}"}
            )


RECOMMENDERS: dict[str, Recommender] = {"entailed": entailed, "conflicts": conflicts}
