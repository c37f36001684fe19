"""`ragtrial run` under `kill -9`, Ctrl-C, and in surroundings that must not matter."""

import signal
import subprocess
import time

import pytest

LONG = """\
resamples = 1000

[dataset]
reader = "demo"

[arms]
fixed = "chars(512)"
headers = "headers"
path = "headers + path"

[retrievers]
lucene = "bm25"
okapi = "bm25(variant='okapi', words='study')"

[[contrasts]]
name = "structure"
of = "headers - fixed"
"""
"""A trial that takes long enough to be stopped in the middle."""

CONDITIONS = 6


@pytest.fixture(scope="module")
def trial(tmp_path_factory):
    path = tmp_path_factory.mktemp("long") / "trial.toml"
    path.write_text(LONG, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def whole(trial, shell):
    """Return the files of the record after an uninterrupted run, with the report."""
    folder = trial.parent / "whole"
    assert shell("run", trial, "--output", folder).code == 0
    return files_of(folder)


def files_of(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def parts_of(folder):
    return {path: path.stat().st_mtime_ns for path in (folder / "parts").glob("*.scores.parquet")}


def start(command, trial, folder):
    words = command("run", trial, "--output", folder)
    # An interrupt may fall between the opening of a file and the block that closes it. Python closes it then, with a
    # warning that users are not shown.
    words[words.index("-c") : words.index("-c")] = ["-W", "ignore::ResourceWarning"]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def wait_for(condition, process):
    until = time.monotonic() + 60
    while not condition():
        assert process.poll() is None, "the run ended before it could be stopped"
        assert time.monotonic() < until
        time.sleep(0.001)


def test_kill_9_at_several_moments_and_running_again(trial, whole, command, shell):
    folder = trial.parent / "killed"
    made = {}
    moments = [
        (folder / "parts").exists,  # before anything is scored
        lambda: len(parts_of(folder)) >= 1,
        lambda: len(parts_of(folder)) >= CONDITIONS // 2,
    ]
    for moment in moments:
        process = start(command, trial, folder)
        wait_for(moment, process)
        process.kill()
        process.communicate()
        assert process.returncode == -signal.SIGKILL
        assert not (folder / "record.json").exists()
        again = made.items() - parts_of(folder).items()
        assert len(again) <= 1, "what was scored was scored again, beside the condition in which the run was killed"
        made = parts_of(folder)
    assert len(made) >= CONDITIONS // 2
    assert shell("run", trial, "--output", folder).code == 0
    assert files_of(folder) == whole


def test_ctrl_c_says_how_to_go_on_and_exits_with_130(trial, command, tmp_path):
    folder = tmp_path / "interrupted"
    process = start(command, trial, folder)
    wait_for(lambda: parts_of(folder), process)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert out == b""
    assert err.decode().strip() == "Interrupted. Run the same command again to go on."
    assert len(parts_of(folder)) >= 1


def test_workers_hash_order_time_zone_and_locale_do_not_matter(trial, whole, shell, tmp_path):
    surroundings = {"PYTHONHASHSEED": "7", "TZ": "Asia/Kolkata", "LC_ALL": "C", "POLARS_MAX_THREADS": "1"}
    folder = tmp_path / "workers"
    done = shell("run", trial, "--output", folder, "--workers", "2", cwd=tmp_path, env=surroundings)
    assert done.code == 0
    assert done.err == ""
    assert files_of(folder) == whole
