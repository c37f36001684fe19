"""A trial on documents that try to be code, and the words that must come out as words."""

import json
from pathlib import Path

from ragtrial.trial.config import Trial
from ragtrial.trial.record import Record
from ragtrial.trial.run import run

EVIL = "<script>alert(1)</script></style></title>{{7*7}}{% raw %}<img src=x onerror=alert(2)>&amp;\"'`"
RTL = "\u202eevil.exe\u202c שלום עולם مرحبا"
LONG = "w" * 10_000

DOCUMENTS = {
    "evil/one.md": f"# Title {EVIL}\n\nPress the green button {EVIL} firmly now.\n\n## Part\n\n{LONG}\n\n{RTL}\n",
    "evil/два.md": "# Насос\r\n\r\nПроверьте давление масла перед пуском.\r\n\r\n## 保养\r\n\r\n"
    "每个月更换一次水泵的滤芯。\r\n",
    "bells.txt": "Before the first sign and after it come bells \x07 and escapes \x1b[31m of terminals.\n",
}

QUESTIONS = [
    {"id": "q<b>1", "question": f"Which button {EVIL}?", "evidence": [f"Press the green button {EVIL} firmly now."]},
    {"id": "масло", "question": "Когда проверять давление?", "evidence": ["Проверьте давление масла перед пуском."]},
    {"id": "nul", "question": f"What comes after \x00 {RTL}?", "evidence": ["and after it come bells"], "type": EVIL},
    {"id": "滤芯", "question": "多久更换滤芯?", "evidence": ["每个月更换一次水泵的滤芯。"], "type": "time"},
]

KEYS = {
    "title": f"Title {EVIL} {RTL}",
    "documents": "docs",
    "questions": "questions.jsonl",
    "arms": {"fixed": "chars(40)", "path": "headers(min=0) + path", "水": "headers(min=0)", EVIL: "chars(30)"},
    "retrievers": {"bm25": "bm25", "<i>r</i>": "bm25(variant='lucene')"},
    "contrasts": [
        {"name": f"contrast {EVIL}", "of": "fixed - 水"},
        {"name": f"$x_1$ {RTL}", "of": "path - 水", "test": "equivalence", "margin": 5},
    ],
    "resamples": 200,
}


def hostile_record(folder: Path) -> Record:
    """Run the trial in a folder and return its record."""
    for name, text in DOCUMENTS.items():
        path = folder / "docs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
    (folder / "questions.jsonl").write_text("".join(json.dumps(q) + "\n" for q in QUESTIONS), encoding="utf-8")
    return run(Trial.of(KEYS, folder), folder / "record")
