"""Users' functions that mention ``tp`` inside other engines: the recipes of docs/platform.md.

``make engines`` runs this file in an environment with all of them. Here those that are not installed are skipped.
"""

import json
import shutil
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import pytest

import temporacle as tp

LINKS = {
    "d1": [("left", "BEFORE", "docked"), ("docked", "BEFORE", "unloaded")],
    "d2": [("left", "BEFORE", "docked"), ("docked", "BEFORE", "left")],
    "d3": [("left", "BEFORE", "docked"), ("docked", "IS_INCLUDED", "stayed")],
}
EXPECTED = {name: str(tp.check(links)[0].verdict) for name, links in LINKS.items()}
ROWS = [
    {"document": name, "source": source, "relation": label, "target": target}
    for name, links in LINKS.items()
    for source, label, target in links
]


def by_value(code, name):
    """Return a function as a notebook makes it: of no module, with ``tp`` among its globals."""
    namespace = {"tp": tp, "__name__": "__main__"}
    exec(code, namespace)
    return namespace[name]


verdict = by_value("def verdict(links): return str(tp.check(links, jobs=1)[0].verdict)", "verdict")


def verdict_of(links):
    return str(tp.check(links, jobs=1)[0].verdict)


@pytest.mark.slow
def test_a_pool_of_processes():
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        assert dict(zip(LINKS, pool.map(verdict_of, LINKS.values()), strict=True)) == EXPECTED


def test_threads():
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(verdict, list(LINKS.values()) * 20))
    assert found == list(EXPECTED.values()) * 20


def test_dask_by_value():
    distributed = pytest.importorskip("distributed")
    bag = pytest.importorskip("dask.bag")
    with distributed.Client(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0") as client:
        assert client.gather(client.map(verdict, list(LINKS.values()))) == list(EXPECTED.values())
        assert bag.from_sequence(LINKS.values(), npartitions=2).map(verdict).compute() == list(EXPECTED.values())


def test_joblib():
    joblib = pytest.importorskip("joblib")
    found = joblib.Parallel(n_jobs=2)(joblib.delayed(verdict)(links) for links in LINKS.values())
    assert found == list(EXPECTED.values())


def test_datasets_finds_its_cache_again(tmp_path):
    datasets = pytest.importorskip("datasets")
    keys = ("source", "relation", "target")
    nested = [
        {"document": name, "links": [dict(zip(keys, link, strict=True)) for link in links]}
        for name, links in LINKS.items()
    ]
    path = tmp_path / "links.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in nested))
    data = datasets.load_dataset("json", data_files=str(path), split="train", cache_dir=str(tmp_path / "cache"))
    assert [str(each.verdict) for each in tp.check(data)] == list(EXPECTED.values())
    ran = tmp_path / "ran"
    code = f"""
def judged(row):
    with open({str(ran)!r}, "a") as file:
        file.write(row["document"])
    return {{"verdict": str(tp.check(row["links"])[0].verdict)}}
"""
    for _ in range(2):
        found = data.map(by_value(code, "judged"))
        assert dict(zip(found["document"], found["verdict"], strict=True)) == EXPECTED
        assert ran.read_text() == "d1d2d3"  # once: the second time the cache has it


@pytest.mark.slow
@pytest.mark.filterwarnings(
    "ignore::FutureWarning", "ignore::ResourceWarning"
)  # of Spark, about pandas and its sockets
def test_spark_grouped_by_document(monkeypatch):
    pyspark = pytest.importorskip("pyspark.sql")
    pd = pytest.importorskip("pandas")
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java")
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)  # its workers take any python3 otherwise
    spark = pyspark.SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
    judged = by_value(
        "def judged(rows):\n"
        "    check = tp.check(rows, jobs=1)[0]\n"
        "    return rows.head(1)[['document']].assign(verdict=str(check.verdict))",
        "judged",
    )
    try:
        frame = spark.createDataFrame(pd.DataFrame(ROWS))
        rows = frame.groupBy("document").applyInPandas(judged, "document string, verdict string").collect()
    finally:
        spark.stop()
    assert {row["document"]: row["verdict"] for row in rows} == EXPECTED
