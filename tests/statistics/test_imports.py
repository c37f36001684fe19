"""The package stands alone: numpy and the errors, nothing else."""

import subprocess
import sys

import ragtrial.statistics

PROGRAM = """
import sys
import ragtrial.statistics as statistics
names = [name for name in sys.modules if name.startswith("ragtrial.")]
ours = sorted(name for name in names if not name.startswith("ragtrial.statistics"))
heavy = sorted({name.split(".")[0] for name in sys.modules} & {"scipy", "statsmodels", "pandas", "polars", "pydantic"})
print(ours, heavy, statistics.compare([1.0, 0.5, 0.7], [0.2, 0.1, 0.6], ["p", "q", "r"]).n)
"""


def test_only_numpy_and_the_errors_are_imported():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['ragtrial.errors'] [] 3"


def test_public_names_are_sorted_and_there():
    names = ragtrial.statistics.__all__
    assert list(names) == sorted(names, key=lambda name: (not name.isupper(), not name[0].isupper(), name))
    assert all(hasattr(ragtrial.statistics, name) for name in names)
