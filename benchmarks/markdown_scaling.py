"""Time per megabyte of the Markdown scanner: documents of 1 to 50 MB, and inputs made to be slow.

Run it from a checkout: ``python benchmarks/markdown_scaling.py [FOLDER OF MARKDOWN ...]``. A
linear scanner shows the same time per megabyte on every line of a group.
"""

import sys
import time
from pathlib import Path

from ragtrial.documents.markdown import read_markdown, scan

MEGABYTE = 1_000_000

PARAGRAPH = "Some words of a paragraph that runs over two lines,\nwith `code` and a [link](https://example.org).\n\n"
SAMPLE = (
    "## A heading with `code`\n\n" + PARAGRAPH * 3 + "- an item\n- another\n    - nested\n\n"
    "```python\nx = 1  # no heading\n```\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n> a quote\n> in two lines\n\n"
)


def sized(unit, size=MEGABYTE):
    return unit * (size // len(unit) + 1)


SLOW = {
    "quote marks on one line": lambda size: sized(">", size),
    "list marks on one line": lambda size: sized("- ", size),
    "list marks, then text": lambda size: sized("- ", size) + "a",
    "list marks, text, dashes": lambda size: sized("* ", size // 2) + "a" + sized(" *", size // 2),
    "deep quote, then text lines": lambda size: sized(">", size // 2) + "a\n" + sized("b\n", size // 2),
    "deep list, then blank lines": lambda size: sized("- ", size // 2) + "a\n" + sized("\n", size // 2) + "b",
    "deep list, then text lines": lambda size: sized("- ", size // 2) + "a\n" + sized("b\n", size // 2),
    "a thousand quote marks a line": lambda size: sized(">" * 1000 + " a\n", size),
    "ever deeper items": lambda size: "".join("  " * n + "- a\n" for n in range(int(size**0.5))),
    "one paragraph": lambda size: sized("a b c d e\n", size),
    "paragraph, then underline": lambda size: sized("a\n", size) + "===\n",
    "definitions": lambda size: sized("[a]: /u\n", size),
    "definitions in a quote": lambda size: sized("> [a]: /u\n", size),
    "no definitions": lambda size: sized("[a]:\n", size),
    "opened labels": lambda size: sized("[\n", size),
    "definitions underlined": lambda size: sized("[a]: /u\n===\n", size),
    "opened titles": lambda size: sized('[a]: /u "b\n', size),
    "fences": lambda size: sized("```\n~~~~\n", size),
    "an open fence": lambda size: "`````\n" + sized("```\n", size),
    "comments never closed": lambda size: sized("<!-- a\n", size),
    "tags": lambda size: sized('<a b="c"\n', size),
    "attributes": lambda size: "<a" + sized(" a", size),
    "math never closed": lambda size: sized("$$ a\n\n", size),
    "math": lambda size: sized("a\n$$\nb\n", size),
    "pipes": lambda size: sized("|", size // 2) + "\n" + sized("|-", size // 2),
    "header rows": lambda size: sized("a|b\n", size),
    "delimiter rows": lambda size: sized("|-|-|\n", size),
    "blanks": lambda size: sized(" ", size) + "a",
    "tabs": lambda size: sized("\t", size) + "a",
    "tabs in a list": lambda size: "- a\n" + sized("\t", size) + "a",
    "dashes": lambda size: sized("-", size) + " a",
    "backticks": lambda size: sized("`", size) + " `",
    "hashes": lambda size: sized("#", size),
    "closing hashes": lambda size: "# a" + sized(" #", size) + " b",
    "blanks in a title": lambda size: "# a" + sized(" ", size) + "b",
}

SLOW_TITLES = {
    "open brackets": "[",
    "open images": "![",
    "closed brackets": "[a]",
    "nested brackets": "[a",
    "open links": "[a](",
    "open links in angles": "[a](<b",
    "open link titles": '[a](b "',
    "links": "[a](b)",
    "references": "[a][b]",
    "backtick runs of one length": "a`` ",
    "stars": "*",
    "emphasis": "*a* ",
    "open emphasis": "*a ",
    "closed emphasis": "a* ",
    "mixed emphasis": "*a_ __b** ",
    "tildes": "~~a ~",
    "open tags": "<a ",
    "open attributes": "<a b='",
    "open comments": "<!-- ",
    "open instructions": "<?",
    "open declarations": "<!A ",
    "open CDATA": "<![CDATA[",
    "open autolinks": "<a:",
    "addresses": "<a@b",
    "ampersands": "&#",
    "backslashes": "\\",
    "open attributes of the heading": "{#a ",
}


def seconds(function, *arguments, **options):
    start = time.process_time()
    function(*arguments, **options)
    return time.process_time() - start


def report(name, text, *, size=None, **options):
    taken = seconds(scan, text, **options)
    megabytes = len(text) / MEGABYTE
    print(f"{name:34}{size or f'{megabytes:.1f} MB':>9}{taken:9.2f} s{taken / megabytes:9.3f} s/MB", flush=True)


def main(folders):
    for dialect in ("commonmark", "study"):
        print(f"\n{dialect}: one document")
        for size in (1, 2, 5, 10, 20, 50):
            report("sample", sized(SAMPLE, size * MEGABYTE), dialect=dialect)
        report("one line", sized("word ", 10 * MEGABYTE), dialect=dialect)
        report("one title", "# " + sized("word ", 10 * MEGABYTE), dialect=dialect)
        print(f"\n{dialect}: inputs made to be slow, at two sizes")
        for name, make in SLOW.items():
            for size in (MEGABYTE // 4, MEGABYTE):
                report(name, make(size), dialect=dialect)
    print("\ncommonmark: titles made to be slow, at two sizes")
    for name, unit in SLOW_TITLES.items():
        for size in (MEGABYTE // 4, MEGABYTE):
            report(name, "# " + sized(unit, size) + ("}" if unit.startswith("{") else ""))
    mixed = "# " + "".join("`" * n + " " for n in range(1400))
    report("backtick runs of all lengths", mixed)
    for folder in folders:
        texts = [path.read_bytes().decode() for path in sorted(Path(folder).rglob("*.md"))]
        megabytes = sum(map(len, texts)) / MEGABYTE
        print(f"\n{folder}: {len(texts)} files, {megabytes:.2f} MB")
        for dialect in ("commonmark", "study"):
            runs = [sum(seconds(read_markdown, text, dialect=dialect) for text in texts) for _ in range(7)]
            print(f"{dialect:34}{min(runs) * 1000:9.1f} ms{megabytes / min(runs):9.1f} MB/s", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
