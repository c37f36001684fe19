"""How the input of enrichment and of context grows with the length of a document, as a server counts it.

    python benchmarks/input_growth.py docs/input-growth.svg

Documents of doubling length are cut from one long paper after another (QASPER, from ``--data``), so that sections are
as long as real ones. A server on loopback answers each call with JSON of usual length and counts cl100k tokens.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

from ragtrial.datasets.qasper.files import read_split, split_files
from ragtrial.datasets.qasper.markdown import to_markdown
from ragtrial.documents.markdown.reader import read_markdown
from ragtrial.text import tokens
from ragtrial.trial.arms import Arm

WORDS = "a note of the usual length on what makes this part of the document unlike all of its other parts " * 2
REPLY = {
    "title": "a title of six plain words",
    "summary": WORDS,
    "keywords": ["one phrase", "two phrases", "three phrases", "four phrases", "five phrases"],
    "entities": [],
    "questions": ["what is said here about it?", "who says it?"],
    "related_keys": [],
}
LENGTHS = (2_000, 4_000, 8_000, 16_000, 32_000, 64_000)


class Server(BaseHTTPRequestHandler):
    counted: ClassVar[Counter[str]] = Counter()
    turn = threading.Lock()
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:  # the library's own name
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        sent = sum(tokens.count(message["content"]) for message in body["messages"])
        with self.turn:
            self.counted["calls"] += 1
            self.counted["input"] += sent
            number = self.counted["calls"]
        text = json.dumps(REPLY | {"key": f"subtopic {number}"}) if "response_format" in body else WORDS
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
        usage = {"prompt_tokens": sent, "completion_tokens": tokens.count(text)}
        data = json.dumps({"model": "m", "choices": [choice], "usage": usage}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *arguments: object) -> None:
        pass


def papers(folder: Path) -> str:
    (path,) = split_files(folder, ["dev"])
    return "\n".join(to_markdown(paper) for paper in read_split(path).values())


def measure(text: str, url: str) -> list[dict[str, float]]:
    rows = []
    ids = tokens.encode(text[: 8 * LENGTHS[-1]])
    for length in LENGTHS:
        document = read_markdown(tokens.decode(ids[:length]), id=f"{length}.md", dialect="study")
        row: dict[str, float] = {"tokens": tokens.count(document.text)}
        for name, step in (("enriched", "enriched"), ("context", "context")):
            Server.counted.clear()
            chunks = Arm.of(f"headers + {step}('m', url='{url}')").build([document])
            assert Server.counted["calls"] == len(chunks)
            row |= {name: Server.counted["input"], "chunks": len(chunks)}
        rows.append(row)
        print(row, file=sys.stderr)
    return rows


def draw(rows: list[dict[str, float]], target: str) -> None:
    import matplotlib as mpl
    import matplotlib.pyplot as plt

    mpl.rcParams["svg.fonttype"] = "none"
    mpl.rcParams["svg.hashsalt"] = "ragtrial"
    figure, axes = plt.subplots(figsize=(7, 3.8), layout="constrained")
    lengths = [row["tokens"] for row in rows]
    for name, marker, style in (("context", "s", "--"), ("enriched", "o", "-")):
        axes.plot(lengths, [row[name] for row in rows], marker=marker, linestyle=style, label=name)
    for name, power in (("enriched", 1), ("context", 2)):
        scaled = [rows[-1][name] * (length / lengths[-1]) ** power for length in lengths]
        axes.plot(lengths, scaled, color="0.6", linewidth=0.8, linestyle=":")
    axes.set(xscale="log", yscale="log", xlabel="tokens of the document", ylabel="tokens of input, all its calls")
    axes.set_xticks(lengths, [f"{length:,.0f}" for length in lengths])
    axes.minorticks_off()
    axes.annotate("dotted: linear and quadratic", (0.98, 0.04), xycoords="axes fraction", ha="right", color="0.35")
    axes.legend(frameon=False)
    figure.savefig(target, metadata={"Date": None})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("figure")
    parser.add_argument("--data", type=Path, default=Path("../shared/data/qasper"))
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"RAGTRIAL_CACHE": f"{folder}/cache", "RAGTRIAL_LEDGER": f"{folder}/ledger.jsonl"}
        server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        rows = measure(papers(given.data), f"http://127.0.0.1:{server.server_address[1]}/v1")
        server.shutdown()
    draw(rows, given.figure)


if __name__ == "__main__":
    main()
