"""Coverage-guided fuzzing of the Markdown, HTML and wikitext readers with atheris.

Run one reader for some minutes: ``python benchmarks/fuzz_readers.py html -max_total_time=100``. It stops at the first
crash, violation of the document model, offset outside the text, residue of mark-up, or input that takes too long.
"""

import sys

import atheris

with atheris.instrument_imports(include=["ragtrial.documents"]):
    from ragtrial.documents.html.reader import read_html
    from ragtrial.documents.markdown.reader import read_markdown
    from ragtrial.documents.wikitext.reader import read_wikitext

from ragtrial.errors import DataError

READERS = {"html": read_html, "markdown": read_markdown, "wikitext": read_wikitext}
SEEDS = {
    "html": "<main><h1 id=a>T</h1><p>x <a href=y>z</a><ul><li>i<pre><code>c</code></pre></ul><table><tr><td>1</table>",
    "markdown": "---\na: 1\n---\n# T {#id}\n\n- a\n  > b\n\n| a |\n|---|\n| 1 |\n\n```py\nx\n```\n$$\nm\n$$\n",
    "wikitext": "{{x|y={{z}}}}\n== T ==\n* a [[b|c]]<ref>d</ref>\n{|\n|+ c\n! h\n|-\n| a || b\n|}\n<nowiki>[[</nowiki>",
}


def check(name: str, text: str) -> None:
    try:
        document = READERS[name](text)
    except DataError:
        return
    assert not document.verify(), document.verify()
    for link in document.meta.get("links", ()):
        assert 0 <= link.start < link.end <= len(document.text)
    for offset in document.meta.get("anchors", {}).values():
        assert 0 <= offset <= len(document.text)
    if document.places is not None:
        assert list(document.places.starts) == sorted(document.places.starts)
        assert max(document.places.numbers) <= text.count("\n") + text.count("\r") + 1
        assert len(document.places.starts) == len(document.places.numbers)
    if name == "wikitext":
        assert not any(mark in document.text.lower() for mark in ("{{", "[[", "<ref"))


def main() -> None:
    name = sys.argv.pop(1)
    tokens = SEEDS[name]

    def one(data: bytes) -> None:
        provider = atheris.FuzzedDataProvider(data)
        pieces = []
        while provider.remaining_bytes() and len(pieces) < 400:
            if provider.ConsumeBool():
                start = provider.ConsumeIntInRange(0, len(tokens) - 1)
                pieces.append(tokens[start : start + provider.ConsumeIntInRange(1, 12)])
            else:
                pieces.append(provider.ConsumeUnicode(3))
        check(name, "".join(pieces))

    atheris.Setup([*sys.argv, "-timeout=5"], one)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
