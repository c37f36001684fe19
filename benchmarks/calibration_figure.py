"""Draw the curve of benchmarks/calibration.py as SVG for the docs.

python benchmarks/calibration.py --json calibration.json
python benchmarks/calibration_figure.py calibration.json docs/calibration.svg
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt

LINES = {
    "question_level": ("question-level bootstrap", "^", ":"),
    "bca": ("cluster bootstrap, BCa", "o", "-"),
    "tost": ("TOST at its margin", "s", "--"),
    "demanded": ("BCa and sign-flip together", "D", "-."),
}


def main(source: str, target: str) -> None:
    rows = json.loads(Path(source).read_text(encoding="utf-8"))["rows"]
    mpl.rcParams["svg.fonttype"] = "none"
    mpl.rcParams["svg.hashsalt"] = "ragtrial"
    figure, axes = plt.subplots(figsize=(7, 3.8), layout="constrained")
    clusters = [row["clusters"] for row in rows]
    axes.axhspan(0, 6, color="0.92", label="up to 6%")
    for key, (label, marker, style) in LINES.items():
        axes.plot(clusters, [100 * row[key] for row in rows], marker=marker, linestyle=style, label=label)
    axes.axvline(20, color="0.6", linewidth=0.8)
    axes.annotate("warned below 20", (20, 15), xytext=(4, 0), textcoords="offset points", color="0.35")
    axes.set_xscale("log")
    axes.set_xticks(clusters, [f"{count:,}" for count in clusters])
    axes.minorticks_off()
    axes.set(xlabel="clusters (documents)", ylabel="false positives, % of trials", ylim=(0, 16))
    axes.legend(frameon=False, ncols=2, fontsize="small")
    figure.savefig(target, metadata={"Date": None})


if __name__ == "__main__":
    main(*sys.argv[1:])
