"""Two annotators adjudicated to the end in Chromium: how many questions are asked, and how long a key takes.

    python -m bench.adjudicate FIRST/ SECOND/ [--out FOLDER] [--slow]

The script always takes the first side, by its key; where that is refused, neither. Without inference every difference
is a question. A key is measured in the page, from the event to the next question on the screen; *work* is the processor
time of server and page for it, which other programs on the machine change little.
At the end the saved result is read: it must be consistent, hold what was taken, and nothing of another side unless it
was settled so. ``--slow`` waits after each key until the figures of agreement are computed again.

Needs chromium, chromedriver and the extra "browser".
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from browser.chromium import start  # noqa: E402 - of the tests
from browser.workbench_pages import Page  # noqa: E402
from workbench.workbench_runs import Running, of, running  # noqa: E402

import temporacle as tp  # noqa: E402
from temporacle.editing.adjudications import LOG  # noqa: E402

STATE = """
return {
  open: document.querySelector(".done").textContent.indexOf("All") < 0,
  impossible: document.querySelector('[data-take="1"]')?.disabled ?? false,
};
"""
WATCH = """
window.keys = [];
let pressed = 0;
addEventListener("keydown", () => { pressed = performance.now(); }, true);
const seen = new MutationObserver(() => {
  if (pressed) requestAnimationFrame(() => {
    if (pressed) keys.push(performance.now() - pressed);
    pressed = 0;
    window.answered?.();
  });
});
seen.observe(document.getElementById("progress-words"), { childList: true, characterData: true, subtree: true });
"""

ANSWERED = """
const [count, done] = arguments;
if (keys.length >= count) done();
else window.answered = () => { if (keys.length >= count) done(); };
"""


def processor(page: Page, server: Running) -> float:
    """Return the processor milliseconds of the server and of the page so far."""
    threads = Path(f"/proc/{server.process.pid}/task").glob("*/schedstat")
    metrics = page.command("Performance.getMetrics")["metrics"]
    (in_page,) = (each["value"] for each in metrics if each["name"] == "ProcessTime")
    return sum(int(each.read_text().split()[0]) for each in threads) / 1e6 + 1000 * in_page


def adjudicate(page: Page, server: Running, name: str, *, is_slow: bool) -> dict[str, Any]:
    """Take the first side of every question about a document, save, and return what was seen."""
    before = server.get(of(name, "differences"))
    page.visit(server, "adjudicate", document=name).until_text("#progress-words", "of")
    page.until("document.querySelector('#agreement').textContent")
    removed: list[str] = []
    if page.shows(".blocked"):  # agreed links contradict each other
        removed = server.get(of(name))["repair_ids"]
        page.press("a")
        page.until("!document.querySelector('.blocked')")
    page.script(WATCH)
    page.command("Performance.enable")
    work, questions, neither = [processor(page, server)], 0, 0
    while (now := page.script(STATE))["open"]:
        page.press("0" if now["impossible"] else "1")
        neither += now["impossible"]
        questions += 1
        page.driver.execute_async_script(ANSWERED, questions)  # asking again and again would take time of the page
        work.append(processor(page, server))
        if is_slow:
            time.sleep(1.6)  # the figures are on their way
    after = server.get(of(name, "differences"))["differences"]
    keys = page.script("return window.keys")
    page.press("s", control=True)
    page.until_text(".notice.good", "Saved to")
    path = Path(page.text(".notice.good code, .notice.good") or "")
    return {
        "document": name,
        "agreed": before["agreed"] - len(removed),
        "without": len(before["differences"]),
        "with": questions,
        "neither": neither,
        "keys": keys,
        "work": [now - before for before, now in pairwise(work)],
        "rows": after,
        "saved": str(path),
    }


def judge(found: dict[str, Any], out: Path) -> None:
    """Compare the saved result with what was taken."""
    name = found["document"]
    (log,) = (path for path in out.iterdir() if path.name.startswith(name) and path.name.endswith(LOG))
    result = tp.read(str(log).removesuffix(LOG))
    assert tp.check(result)[0].verdict == "consistent", name
    present = {(link.source, link.label, link.target) for link in result.links}
    taken = 0
    for row in found["rows"]:
        assert row["taken"] is not None
        assert row["taken"] == 1 or row["why"] != "decided" or found["neither"], row
        for number, links in enumerate(row["sides"], 1):
            said = {(link["source"], link["label"], link["target"]) for link in links}
            assert said <= present if row["taken"] == number else not said & present, row
            taken += len(links) if row["taken"] == number else 0
    assert len(result.links) == found["agreed"] + taken, (len(result.links), found["agreed"], taken)
    why = [json.loads(line)["why"] for line in log.read_text().splitlines()]
    assert len(why) == found["without"]
    assert why.count("decided") == found["with"]


def at(part: float, values: list[float]) -> float:
    """Return a quantile."""
    return sorted(values)[round(part * (len(values) - 1))]


def main() -> None:
    """Adjudicate every document that both sides have."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sides", nargs=2, type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--slow", action="store_true")
    parser.add_argument("--only", nargs="+", default=[])
    given = parser.parse_args()
    out = given.out or Path(tempfile.mkdtemp()) / "adjudicated"
    driver = start()
    driver.set_script_timeout(60)
    page, every, works, totals = Page(driver), [], [], {"without": 0, "with": 0, "forced": 0}
    try:
        with running("--compare", *given.sides, "-o", out, "--port", "0") as server:
            page.visit(server).until_text("#progress-words", "documents checked")
            for row in server.get("/api/documents"):
                if not row.get("differences") or (given.only and row["id"] not in given.only):
                    continue
                found = adjudicate(page, server, row["id"], is_slow=given.slow)
                judge(found, out)
                every += found["keys"]
                other = sum(each["taken"] != 1 for each in found["rows"])
                totals = {
                    "without": totals["without"] + found["without"],
                    "with": totals["with"] + found["with"],
                    "forced": totals["forced"] + other,
                }
                works += found["work"]
                keys, work = (found[name] or [0.0] for name in ("keys", "work"))
                print(
                    f"{row['id']}: {found['without']} differences, {found['with']} questions, {other} against the first"
                    f" side; key {at(0.5, keys):.0f} ms, 95 % {at(0.95, keys):.0f} ms, most {max(keys):.0f} ms;"
                    f" work {at(0.5, work):.0f} ms, 95 % {at(0.95, work):.0f} ms, most {max(work):.0f} ms",
                    flush=True,
                )
    finally:
        driver.quit()
    print(
        f"all: {totals['without']} differences, {totals['with']} questions, {totals['forced']} forced against the"
        f" first side; key {at(0.5, every):.0f} ms, 95 % {at(0.95, every):.0f} ms;"
        f" work {at(0.5, works):.0f} ms, 95 % {at(0.95, works):.0f} ms"
    )


if __name__ == "__main__":
    main()
