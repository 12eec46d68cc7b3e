"""A corpus whose every string tries to become markup."""

ATTACK = '"><script>document.title="owned"</script><img src=x onerror="document.title=\'owned\'">'
QUIET_ATTACK = "</script><script>document.title='owned'</script>"


def write_hostile_corpus(folder):
    """Files with attacks in names, ids, labels, texts and link ids; one consistent, one not, one unreadable."""
    import json

    folder.mkdir(parents=True, exist_ok=True)
    name = "a<img src=x onerror=alert(1)>&b"
    entities = [
        {"id": f"e1{ATTACK}", "kind": "event", "text": "x", "spans": [[0, 8]]},
        {"id": "e2", "kind": "time", "text": ATTACK, "spans": [[8, 20]], "value": ATTACK},
    ]
    links = [{"id": f"l1{ATTACK}", "source": f"e1{ATTACK}", "relation": "BEFORE", "target": "e2"}]
    document = {
        "document": f"doc{ATTACK}",
        "text": f"<script>alert(1)</script> {ATTACK}",
        "entities": entities,
        "links": links,
    }
    (folder / f"{name}.jsonl").write_text(json.dumps(document) + "\n")
    rows = [f"p{QUIET_ATTACK}\tBEFORE\tq{ATTACK}", f"q{ATTACK}\tBEFORE\tp{QUIET_ATTACK}", f"p\t{ATTACK}\tq"]
    (folder / "<script>alert(1)<").mkdir()
    (folder / "<script>alert(1)<" / "script>.tsv").write_text("\n".join(rows) + "\n")
    (folder / "broken<script>alert(2)<b>.tml").write_text(f"<TimeML>{ATTACK}")
    return folder
