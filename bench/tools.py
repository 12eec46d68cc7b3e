"""The servers tried with the real tools, in an environment of their own: ``make tools``.

Label Studio, driven by its interface and, if it is installed, by Chromium: a contradictory annotation gets notes on its
regions, a corrected one loses them, also if it is made and corrected on the screen. A link that follows is suggested
there. The number of requests stays bounded, and events that come twice, late, after a deletion or around a restart
leave the same state.

INCEpTION's requests and answers, read by dkpro-cassis as an independent reader: generated documents, and the XMI
samples beside the project if they are there.

``--pictures FOLDER`` keeps the screenshots; ``--only inception`` leaves Label Studio out.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def free_port() -> int:
    """Return a port that no program uses."""
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        port: int = place.getsockname()[1]
        return port


PORT = free_port()  # Label Studio takes another one without a word if its port is in use
STUDIO = f"http://127.0.0.1:{PORT}"
USER, PASSWORD = "a@example.com", "secret123"
TOKEN = "0123456789abcdef0123456789abcdef01234567"  # of a server that lives for a minute
OUR_TOKEN = "our-token"
CONFIG = (
    '<View><Labels name="l" toName="t"><Label value="EVENT"/></Labels><Text name="t" value="$text"/>'
    '<Relations><Relation value="BEFORE"/><Relation value="AFTER"/></Relations></View>'
)
TEXT = "They left, then docked, then slept."
PATIENCE = 20  # seconds
SAMPLES = Path(__file__).resolve().parents[2] / "shared" / "corpora" / "annotation-tools"


def call(method: str, path: str, body: Any = None, at: str = STUDIO) -> Any:
    """Return the answer of a server."""
    allowed = f"Token {TOKEN}" if at == STUDIO else f"Bearer {OUR_TOKEN}"
    headers = {"Content-Type": "application/json", "Authorization": allowed}
    request = Request(at + path, None if body is None else json.dumps(body).encode(), headers, method=method)
    with urlopen(request, timeout=60) as answer:
        return json.loads(answer.read() or b"null")


def region(name: str, word: str) -> dict[str, Any]:
    """Return a region over a word of the text."""
    start = TEXT.index(word)
    value = {"start": start, "end": start + len(word), "text": word, "labels": ["EVENT"]}
    return {"id": name, "from_name": "l", "to_name": "t", "type": "labels", "value": value}


def relation(source: str, label: str, target: str) -> dict[str, Any]:
    """Return a relation between regions."""
    return {"type": "relation", "from_id": source, "to_id": target, "direction": "right", "labels": [label]}


CHAIN = [
    *(region(f"r{k}", word) for k, word in enumerate(("left", "docked", "slept"))),
    relation("r0", "BEFORE", "r1"),
    relation("r1", "BEFORE", "r2"),
]
TORN = [*CHAIN, relation("r0", "AFTER", "r2")]


def notes(annotation: int) -> list[str]:
    """Return the notes on the regions of an annotation."""
    results = call("GET", f"/api/annotations/{annotation}/")["result"]
    return [line for each in results for line in (each.get("meta") or {}).get("text", ())]


def seconds_until(question: Callable[[], bool]) -> float:
    """Return how long it takes until a question is answered with yes."""
    begun = time.monotonic()
    while not question():
        if time.monotonic() - begun > PATIENCE:
            sys.exit(f"it did not happen within {PATIENCE} s")
        time.sleep(0.05)
    return time.monotonic() - begun


class Ours:
    """Our server, which can be restarted at the same address."""

    def __init__(self, log: Path, *options: str) -> None:
        self.log, self.options, self.port = log, options, "0"
        self.start()

    def start(self) -> None:
        """Start, and wait for the address."""
        command = [sys.executable, "-m", "temporacle", "serve", *self.options, "--port", self.port]
        environment = os.environ | {"LABEL_STUDIO_TOKEN": TOKEN, "TEMPORACLE_TOKEN": OUR_TOKEN}
        with self.log.open("a") as log:
            self.process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=log, text=True)
        self.address = self.process.stdout.readline().strip() if self.process.stdout else ""
        self.port = self.address.rpartition(":")[2]

    def stop(self) -> None:
        """End it as a user would."""
        self.process.terminate()
        self.process.wait(30)

    def requests(self, path: str) -> int:
        """Return how many requests there were."""
        return sum(f" {path} " in line for line in self.log.read_text().splitlines())


@contextmanager
def label_studio(folder: Path) -> Iterator[None]:
    """Run Label Studio on a data folder of its own."""
    switches = {
        "SSRF_PROTECTION_ENABLED": "false",
        "ML_BLOCK_LOCAL_IP": "false",
        "LABEL_STUDIO_ENABLE_LEGACY_API_TOKEN": "true",
        "LABEL_STUDIO_BASE_DATA_DIR": str(folder),
        "COLLECT_ANALYTICS": "false",
    }
    program = [Path(sys.executable).parent / "label-studio", "start", "--no-browser", "--port", str(PORT)]
    account = ["--username", USER, "--password", PASSWORD, "--user-token", TOKEN]
    with (folder / "log").open("w") as log:
        studio = subprocess.Popen([*program, *account], env=os.environ | switches, stdout=log, stderr=log)
        try:
            while True:
                try:
                    call("GET", "/api/projects")
                    break
                except (HTTPError, URLError, OSError):
                    if studio.poll() is not None:
                        sys.exit(f"Label Studio has ended:\n{(folder / 'log').read_text()[-2000:]}")
                    time.sleep(1)
            yield
        finally:
            studio.kill()
            studio.wait()


def try_label_studio(pictures: Path | None) -> None:
    """Annotate by the interface of Label Studio, then in Chromium."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True)))
        stack.enter_context(label_studio(folder))
        ours = Ours(folder / "requests", "label-studio", "--write-notes", STUDIO)
        stack.callback(ours.stop)
        project = call("POST", "/api/projects", {"title": "trip", "label_config": CONFIG})["id"]
        call("POST", f"/api/projects/{project}/import", [{"text": TEXT}] * 5)
        tasks = [each["id"] for each in call("GET", f"/api/tasks?project={project}")["tasks"]]
        backend = {"project": project, "url": ours.address, "title": "Temporacle", "is_interactive": True}
        entrance = {"auth_method": "BASIC_AUTH", "basic_auth_user": "any", "basic_auth_pass": OUR_TOKEN}
        model = call("POST", "/api/ml", backend | entrance)["id"]
        hook = {"project": project, "url": f"{ours.address}/webhook?token={OUR_TOKEN}", "send_payload": True}
        call("POST", "/api/webhooks/", {**hook, "send_for_all_actions": True})
        _notes_and_suggestions(ours, tasks[0], model)
        _disorder(ours, tasks[1])
        if shutil.which("chromium") and shutil.which("chromedriver"):
            _on_the_screen(project, tasks[2:], pictures or folder)


def _notes_and_suggestions(ours: Ours, task: int, model: int) -> None:
    annotation = call("POST", f"/api/tasks/{task}/annotations/", {"result": TORN})["id"]
    print(f"note after {seconds_until(lambda: len(notes(annotation)) == 3):.1f} s: {notes(annotation)[0]}")
    stored = call("GET", f"/api/annotations/{annotation}/")["result"]
    kept = [each for each in stored if each.get("labels") != ["AFTER"]]
    call("PATCH", f"/api/annotations/{annotation}/", {"result": kept})
    print(f"note gone after {seconds_until(lambda: not notes(annotation)):.1f} s")
    asked = {"task": task, "context": {"result": CHAIN}}
    suggested = call("POST", f"/api/ml/{model}/interactive-annotating", asked)["data"]["result"]
    assert suggested == [relation("r0", "BEFORE", "r2")], suggested
    time.sleep(2)
    before = ours.requests("/webhook")
    time.sleep(2)
    print(f"suggested: left BEFORE slept; {before} webhooks, then {ours.requests('/webhook') - before} in 2 s")
    assert ours.requests("/webhook") == before <= 10  # six of annotations, the others of the project


def _disorder(ours: Ours, task: int) -> None:
    """Send events twice, late, around a restart and after a deletion: the stored annotation decides."""
    annotation = call("POST", f"/api/tasks/{task}/annotations/", {"result": CHAIN})
    name = annotation["id"]
    late = {"action": "ANNOTATION_CREATED", "annotation": annotation, "project": {"id": 1}}
    call("PATCH", f"/api/annotations/{name}/", {"result": TORN})
    seconds_until(lambda: len(notes(name)) == 3)
    for _ in range(2):
        call("POST", "/webhook", late, ours.address)
    ours.stop()
    call("PATCH", f"/api/annotations/{name}/", {"result": CHAIN})  # its event is lost
    torn = {
        **annotation,
        "result": TORN,
        "updated_at": "2100-01-01T00:00:00Z",
    }  # its end was saved, and corrected since
    ours.start()
    for _ in range(2):
        call("POST", "/webhook", {**late, "annotation": torn}, ours.address)
    time.sleep(2)
    assert not notes(name), notes(name)
    call("PATCH", f"/api/annotations/{name}/", {"result": TORN})
    seconds_until(lambda: len(notes(name)) == 3)
    call("DELETE", f"/api/annotations/{name}/")
    seconds_until(lambda: name not in _verdicts(ours))
    call("POST", "/webhook", late, ours.address)
    call("POST", "/webhook", {**late, "annotation": torn}, ours.address)
    time.sleep(1)
    assert name not in _verdicts(ours)
    print("events twice, late, around a restart and after a deletion: the state is that of the stored annotation")


def _verdicts(ours: Ours) -> set[int]:
    return {each["annotation"] for each in call("GET", "/verdicts", at=ours.address)["verdicts"]}


def _on_the_screen(project: int, tasks: list[int], pictures: Path) -> None:
    """Look at a note and at a suggested relation in Chromium, and make and correct a contradiction there."""
    from selenium import webdriver
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.by import By
    from selenium.webdriver.support.ui import WebDriverWait

    torn, chain, turned = tasks
    annotation = call("POST", f"/api/tasks/{torn}/annotations/", {"result": TORN})["id"]
    call("POST", f"/api/tasks/{chain}/annotations/", {"result": CHAIN})
    seconds_until(lambda: len(notes(annotation)) == 3)
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for flag in (
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--window-size=1280,860",
    ):
        options.add_argument(flag)
    page = webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver") or ""))
    wait = WebDriverWait(page, 60)
    pictures.mkdir(parents=True, exist_ok=True)
    try:
        page.get(f"{STUDIO}/user/login/")
        wait.until(lambda _: page.find_elements(By.NAME, "email"))
        page.find_element(By.NAME, "email").send_keys(USER)
        page.find_element(By.NAME, "password").send_keys(PASSWORD)
        page.find_element(By.NAME, "password").submit()
        wait.until(lambda _: "login" not in page.current_url)
        page.get(f"{STUDIO}/projects/{project}/data?task={torn}")
        wait.until(lambda _: page.find_elements(By.CSS_SELECTOR, ".htx-highlight"))
        time.sleep(2)
        page.find_element(By.CSS_SELECTOR, ".htx-highlight").click()
        wait.until(lambda _: "temporacle: conflict 1" in page.find_element(By.TAG_NAME, "body").text)
        time.sleep(1)
        page.save_screenshot(str(pictures / "label-studio-note.png"))
        page.get(f"{STUDIO}/projects/{project}/data?task={chain}")
        wait.until(lambda _: page.find_elements(By.CSS_SELECTOR, ".htx-highlight"))
        time.sleep(2)
        page.find_element(By.XPATH, "//*[contains(text(),'Auto-Annotation')]").click()
        page.find_element(By.XPATH, "//*[text()='EVENT'][1]").click()
        left, top, width, height = page.execute_script(_PLACE_OF_A_WORD)
        pointer = ActionChains(page)
        mouse = pointer.w3c_actions.pointer_action
        mouse.move_to_location(int(left + 1), int(top + height / 2))
        mouse.pointer_down()
        mouse.move_to_location(int(left + width - 1), int(top + height / 2))
        mouse.pointer_up()
        pointer.perform()
        wait.until(lambda _: len(page.find_elements(By.XPATH, "//*[text()='BEFORE']")) >= 3)
        page.find_element(By.XPATH, "//*[text()='Relations']").click()
        time.sleep(2)
        page.save_screenshot(str(pictures / "label-studio-suggestion.png"))
        page.find_element(By.XPATH, "//*[starts-with(text(),'temporac')]").click()
        wait.until(lambda _: len(page.find_elements(By.CSS_SELECTOR, ".htx-highlight")) == 2)
        third = call("POST", f"/api/tasks/{turned}/annotations/", {"result": [*CHAIN, relation("r0", "BEFORE", "r2")]})
        page.get(f"{STUDIO}/projects/{project}/data?task={turned}")
        wait.until(lambda _: page.find_elements(By.CSS_SELECTOR, ".htx-highlight"))
        time.sleep(2)
        page.find_element(By.XPATH, "//*[text()='Relations']").click()
        for direction, how_many in (("left", 3), ("right", 0)):
            _turn_last_relation(page, direction)
            took = seconds_until(lambda many=how_many: len(notes(third["id"])) == many)
            print(f"a relation turned to the {direction} on the screen: {how_many} notes after {took:.1f} s")
            time.sleep(2)
        print("on the screen: the note of a region, the suggested relation, and the prediction with its regions")
    finally:
        page.save_screenshot(str(pictures / "label-studio-last.png"))
        page.quit()


def _turn_last_relation(page: Any, direction: str) -> None:
    """Turn the last relation of the annotation on the screen, and save it."""
    for _ in range(3):
        row = page.find_elements("css selector", ".lsf-relations__item")[-1]
        if row.find_element("css selector", "svg[data-direction]").get_attribute("data-direction") == direction:
            break
        row.find_element("css selector", ".lsf-relations__direction").click()
        time.sleep(0.3)
    page.find_element("xpath", "//button[@aria-label='submit']").click()


_PLACE_OF_A_WORD = """
const walk = document.createTreeWalker(document.querySelector('[class*=htx-richtext]'), NodeFilter.SHOW_TEXT);
for (let node = walk.nextNode(); node; node = walk.nextNode()) {
  const at = node.data.indexOf('They');
  if (at < 0) continue;
  const range = document.createRange();
  range.setStart(node, at);
  range.setEnd(node, at + 4);
  const box = range.getBoundingClientRect();
  return [box.left, box.top, box.width, box.height];
}"""


# --- INCEpTION --------------------------------------------------------------------------------------------------------

LAYER, SPANS = "webanno.custom.TLINK", "webanno.custom.Conflict"
_PREDICTED = ("inception_internal_predicted", "relType_score", "relType_score_explanation")


def generated(seed: int) -> tuple[str, Any]:
    """Return a document that dkpro-cassis wrote, with links in random labels, and its type system."""
    import cassis

    chosen = random.Random(seed)
    types = cassis.TypeSystem()
    event = types.create_type("webanno.custom.EVENT", "uima.tcas.Annotation")
    link = types.create_type(LAYER, "uima.tcas.Annotation")
    for name in ("Governor", "Dependent"):
        types.create_feature(link, name, event)
    _with_features(types, link, "relType", *_PREDICTED)
    _with_features(types, types.create_type(SPANS, "uima.tcas.Annotation"), "relType", *_PREDICTED)
    cas = cassis.Cas(types)
    words = [chosen.choice(("left", "ging", "été", "a<b", "slept&woke", "日本")) for _ in range(chosen.randint(2, 12))]
    cas.sofa_string = " ".join(words)
    events, at = [], 0
    for word in words:
        events.append(event(begin=at, end=at + len(word)))
        at += len(word) + 1
    cas.add_all(events)
    for _ in range(chosen.randint(1, 2 * len(words))):
        first, second = chosen.sample(events, 2)
        label = chosen.choice(("BEFORE", "AFTER", "INCLUDES"))
        cas.add(link(begin=second.begin, end=second.end, Governor=first, Dependent=second, relType=label))
    return cas.to_xmi(), types


def _with_features(types: Any, layer: Any, *names: str) -> None:
    for name in names:
        types.create_feature(layer, name, "uima.cas.String")


def without_ours(xmi: str) -> str:
    """Return an answer without what our server put into it."""
    ours = re.findall(r'<[^<>]*xmi:id="(\d+)"[^<>]*inception_internal_predicted="true"[^<>]*/>', xmi)
    plain = re.sub(r'\s*<[^<>]*inception_internal_predicted="true"[^<>]*/>', "", xmi)
    for name in ours:
        plain = re.sub(rf'(members="[^"]*?)\s*\b{name}\b', r"\1", plain)
    return plain


def try_inception() -> None:
    """Ask both recommenders about generated documents and the samples, and read the answers with dkpro-cassis."""
    import warnings

    import cassis

    warnings.simplefilter("ignore")  # samples with broken offsets and unknown types

    documents = [generated(seed) for seed in range(100)]
    found = sorted(SAMPLES.glob("**/*.xmi"))
    stated = SAMPLES / "xmi" / "TypeSystem.xml"
    if found:
        with stated.open("rb") as file:
            types = cassis.load_typesystem(file)
        _with_features(types, types.create_type(SPANS, "uima.tcas.Annotation"), "relType", *_PREDICTED)
        _with_features(types, types.get_type(LAYER), *_PREDICTED)
        for path in found:
            try:
                documents.append((path.read_text("utf-8"), types))
            except UnicodeDecodeError:
                continue  # a request is JSON, which cannot hold it
    asked = read = unreadable = suggested = 0
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        ours = Ours(folder / "requests", "inception")
        stack.callback(ours.stop)
        for xmi, types in documents:
            for recommender, layer in (("entailed", LAYER), ("conflicts", SPANS)):
                metadata = {"layer": layer, "feature": "relType", "projectId": 1}
                body = {
                    "metadata": metadata,
                    "typeSystem": "",
                    "document": {"xmi": xmi, "documentId": 1, "userId": "u"},
                }
                answer = call("POST", f"/{recommender}/predict", body, ours.address)["document"]
                asked += 1
                suggested += answer != xmi
                assert without_ours(answer) == without_ours(xmi), xmi
                before, after = (_counted(each, types) for each in (xmi, answer))
                if before is None:
                    unreadable += 1
                    continue
                new = answer.count('inception_internal_predicted="true"') - xmi.count("inception_internal_predicted=")
                assert after is not None
                read += after - before == new
    print(
        f"INCEpTION: {len(documents)} documents, {asked} answers, {suggested} with suggestions; dkpro-cassis reads"
        f" {read} with the right number of annotations, and {unreadable} requests it cannot read itself"
    )


def _counted(xmi: str, types: Any) -> int | None:
    """Return how many annotations dkpro-cassis finds; None if it cannot read the document."""
    import cassis

    try:
        cas = cassis.load_cas_from_xmi(xmi, types, lenient=True)
        return sum(len(cas.get_view(each.sofaID).select_all()) for each in cas.sofas)
    except Exception:  # noqa: BLE001 - whatever another reader raises
        return None


def main() -> None:
    """Try both."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pictures", type=Path)
    parser.add_argument("--only", choices=("label-studio", "inception"))
    given = parser.parse_args()
    if given.only != "label-studio":
        try_inception()
    if given.only != "inception":
        try_label_studio(given.pictures)


if __name__ == "__main__":
    main()
