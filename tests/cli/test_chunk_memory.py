"""The peak of memory of `ragtrial chunk` is that of the largest document, however many there are."""

import subprocess
import sys
from pathlib import Path

import pytest

CODE = """
import re, sys
from ragtrial.cli import main
try:
    main(sys.argv[1:])
except SystemExit as stop:
    assert not stop.code, stop.code
print(re.search(r"VmHWM:\\s*(\\d+) kB", open("/proc/self/status").read())[1])
"""
"""Prints the process's own peak; what `resource` tells would be at least that of the process that started it."""

SIZE = 200_000
FEW, MANY = 2, 32


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    if not Path("/proc/self/status").exists():
        pytest.skip("reads the peak of memory from /proc")
    section = "## Section {n}\n\n" + "Some words of a section that is neither long nor short. " * 20 + "\n\n"
    text = "".join(section.replace("{n}", str(number)) for number in range(SIZE // len(section)))
    made = {}
    for count in (FEW, MANY):
        made[count] = tmp_path_factory.mktemp(f"docs{count}")
        for number in range(count):
            (made[count] / f"{number:03}.md").write_text(f"# Document {number}\n\n{text}")
    return made


def peak_kb(folder, spec, output):
    words = [sys.executable, "-c", CODE, "chunk", str(folder), "--arm", spec, "--output", str(output)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    return int(done.stdout)


@pytest.mark.parametrize("spec", ["headers + path", "length_matched"])
def test_memory_does_not_grow_with_the_folder(spec, folders, tmp_path):
    few = peak_kb(folders[FEW], spec, tmp_path / "few")
    many = peak_kb(folders[MANY], spec, tmp_path / "many")
    # All texts together are 6 MB more, and with their blocks and chunks several times that.
    assert many - few < 3_000
