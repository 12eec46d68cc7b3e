"""What the values of time expressions say: ``1998-02-06``, ``1998-Q1``, ``PT3H``.

    civil      seconds of the civil clock, and back
    values     a value as text -> a span, a length, nothing, or a remark
    periods    how long ISO 8601 periods last
    policy     what a reader may choose: policy, hemisphere, zone
    said       what the attributes of one time say, whatever its name
    facts      the values of a document -> facts, each a few difference constraints between endpoints

Nothing here reasons: ``temporacle.reasoner.clock`` does that with the constraints.
"""
