"""A whole trial, from files to record: five arms under BM25 on 300 papers: ``python benchmarks/five_arms.py``.

The command ``ragtrial run`` in a new process, its start included; measures and resamples are the defaults. Once with
``paragraphs`` as the third arm, once with ``length_matched``. The means that it prints come from the record.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path
from statistics import median

from common import DATA, RAGTRIAL, machine, print_table, run_process, spread

TRIAL = """
title   = "Five arms"
primary = "recall@512t"

[dataset]
reader   = "qasper"
path     = {path}
protocol = "mdk"
select   = {select}

[arms]
chars   = "chars(512)"
tokens  = "tokens(256, overlap=32)"
third   = "{third}"
headers = "headers"
path    = "headers + path"

[retrievers]
bm25 = "bm25(words='study')"

[[contrasts]]
name = "boundaries"
of   = "headers - chars"

[[contrasts]]
name = "boundaries, against the third arm"
of   = "headers - third"

[[contrasts]]
name   = "path"
of     = "path - headers"
test   = "equivalence"
margin = 5
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=DATA / "qasper")
    parser.add_argument("--select", type=Path, default=DATA / "selections/qasper-300.txt")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    print(machine(), end="\n\n")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for third in ("paragraphs", "length_matched"):
            trial = Path(folder) / f"{third}.toml"
            path, select = (json.dumps(str(given.resolve())) for given in (options.data, options.select))
            trial.write_text(TRIAL.format(path=path, select=select, third=third), encoding="utf-8")
            rows.append(run(trial, third, options.rounds))
    print_table(("third arm", "CPU s, median", "lowest - highest", "wall s, median", "peak MB"), rows)


def run(trial: Path, third: str, rounds: int) -> tuple[str, ...]:
    records = [trial.with_name(f"{third}-{number}") for number in range(rounds)]
    used = [run_process([*RAGTRIAL, "run", str(trial), "--output", str(record)]) for record in records]
    means = json.loads((records[0] / "record.json").read_text(encoding="utf-8"))["conditions"]
    primary = [f"{row['arm']} {row['mean']:.4f}" for row in means if row["measure"] == "recall@512t"]
    print(f"recall@512t: {', '.join(primary)} (third: {third})\n")
    cpu = [usage.cpu for usage in used]
    wall, peak = median(usage.wall for usage in used), max(usage.peak for usage in used)
    return third, f"{median(cpu):.1f}", spread(cpu, digits=1), f"{wall:.1f}", f"{peak:.0f}"


if __name__ == "__main__":
    main()
