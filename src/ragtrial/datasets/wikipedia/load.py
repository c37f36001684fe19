"""The reader ``wikipedia``: articles, filters and a seeded walk to a corpus (METHODS section 7)."""

from __future__ import annotations

import random
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from ragtrial.datasets.model import Dataset
from ragtrial.datasets.wikipedia.files import Article, read_articles
from ragtrial.datasets.wikipedia.flat import to_flat
from ragtrial.datasets.wikipedia.topics import topic
from ragtrial.documents.model import Document
from ragtrial.documents.parts import Kind
from ragtrial.documents.wikitext import read_wikitext
from ragtrial.errors import SpecError, did_you_mean
from ragtrial.questions.load import read_questions

__all__ = ["LICENCE", "PROTOCOLS", "SOURCE", "Filters", "load_wikipedia", "words"]

SOURCE = "Wikipedia, the free encyclopedia, and its authors"
LICENCE = "CC BY-SA 3.0 or 4.0, by the date of the revision"

_FEATURED = re.compile(r"\{\{\s*featured[ _]article\s*(?:\||\}\})", re.IGNORECASE)
_NO_PROSE = (Kind.HEADING, Kind.TABLE, Kind.CODE)
PROTOCOLS = ("featured", "kmr")


class Filters:
    """What an article must have, and how many are taken.

    Parameters
    ----------
    words, depth, headings : int
        The least number of words of running text, the least level of the deepest heading (``===`` is 3), and the least
        number of headings.
    seed : int
        Of the order in which articles are tried.
    cap : int
        The most articles of one topic.
    stop : int
        The most articles at all.
    """

    def __init__(
        self,
        *,
        words: int = 3_000,
        depth: int = 3,
        headings: int = 12,
        seed: int = 20260710,
        cap: int = 60,
        stop: int = 200,
    ) -> None:
        self.words, self.depth, self.headings = words, depth, headings
        self.seed, self.cap, self.stop = seed, cap, stop

    def fault(self, document: Document) -> str:
        """Return the name of the first filter that an article does not pass, "" if it passes all."""
        if words(document) < self.words:
            return "too few words"
        if max((heading.level for heading in document.headings), default=0) < self.depth:
            return "headings not deep enough"
        return "too few headings" if len(document.headings) < self.headings else ""


def words(document: Document) -> int:
    """Return the number of words of running text: of all blocks but headings, tables and listings *(choice)*."""
    text = document.text
    return sum(len(text[block.start : block.end].split()) for block in document.blocks if block.kind not in _NO_PROSE)


def load_wikipedia(
    path: str | Path, *, protocol: str = "kmr", questions: str | Path | None = None, filters: Filters | None = None
) -> Dataset:
    """Load articles of Wikipedia as in Kuehlkamp, Moreira and Rund 2026.

    Articles with one title, whatever the case of its first letter, are one, of which the first is taken. The
    titles are sorted and shuffled with the seed; in that order an article is accepted that passes the filters and
    whose topic has room, until enough are accepted. Its document is flat text with the section tree
    of its headings, and its topic in ``meta["topic"]``.

    Parameters
    ----------
    path : path
        JSON lines, an export of MediaWiki, or a folder; see `ragtrial.datasets.wikipedia.files`.
    protocol : {"kmr", "featured"}
        "featured" takes only articles that carry ``{{featured article}}``, for a path that holds others
        too; under "kmr" what is in the path is the frame that is sampled from.
    questions : path, optional
        A file of questions on these articles (the paper's own were generated and are not published).
    filters : Filters, optional
        The paper's, if not given.

    Raises
    ------
    SpecError
        The protocol is unknown.
    DataError
        There are no articles, or a file is damaged.
    """
    if protocol not in PROTOCOLS:
        raise SpecError(f"Wikipedia has no protocol {protocol!r}.", hint=did_you_mean(protocol, PROTOCOLS))
    filters = filters or Filters()
    funnel: Counter[str] = Counter()
    articles: dict[str, Article] = {}
    for article in read_articles(Path(path)):
        funnel["articles read"] += 1
        title = _canonical(article.title)
        if title in articles:
            funnel["same title"] += 1
        elif protocol == "featured" and not _FEATURED.search(article.wikitext):
            funnel["not featured"] += 1
        else:
            articles[title] = article
    documents = _walk(articles, filters, funnel)
    dataset = Dataset(
        documents=documents,
        questions=(),
        funnel=MappingProxyType(_in_order(funnel, len(documents))),
        meta=MappingProxyType({"name": f"Wikipedia, protocol {protocol}", "source": SOURCE, "licence": LICENCE}),
        pool="corpus",
        words="unicode",
    )
    if questions is None:
        return dataset
    asked = read_questions(Path(questions), documents)
    return replace(dataset, questions=tuple(asked.questions), excluded=tuple(asked.excluded))


def _canonical(title: str) -> str:
    """Return a title as MediaWiki does: blanks for underscores, the first letter in upper case."""
    name = " ".join(title.replace("_", " ").split())
    return name[:1].upper() + name[1:]


def _walk(articles: dict[str, Article], filters: Filters, funnel: Counter[str]) -> tuple[Document, ...]:
    titles = sorted(articles)
    random.Random(filters.seed).shuffle(titles)  # noqa: S311  # a sample, not a secret
    accepted: list[Document] = []
    held: Counter[str] = Counter()
    for title in titles:
        if len(accepted) == filters.stop:
            break
        funnel["articles tried"] += 1
        document = read_wikitext(articles[title].wikitext, title, source=articles[title].source)
        fault = filters.fault(document)
        bucket = topic(_categories(document))
        if not fault and held[bucket] >= filters.cap:
            fault = "topic full"
        if fault:
            funnel[fault] += 1
            continue
        held[bucket] += 1
        flat = to_flat(document)
        meta = {**flat.meta, "title": title, "topic": bucket, "words": words(document)}
        accepted.append(replace(flat, meta=MappingProxyType(meta)))
    funnel.update({f"topic {bucket}": count for bucket, count in held.items()})
    return tuple(accepted)


def _categories(document: Document) -> tuple[str, ...]:
    found = document.meta.get("categories")
    return found if isinstance(found, tuple) else ()


_STEPS = (
    *("articles read", "same title", "not featured", "articles tried", "too few words", "headings not deep enough"),
    *("too few headings", "topic full"),
)


def _in_order(funnel: Counter[str], accepted: int) -> dict[str, int]:
    topics = {key: funnel[key] for key in sorted(funnel) if key.startswith("topic ") and key not in _STEPS}
    return {**{key: funnel[key] for key in _STEPS}, "articles": accepted, **topics}
