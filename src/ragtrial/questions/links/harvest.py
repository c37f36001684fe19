"""The harvest: every link of a corpus, the rules that let few of them through, and the funnel."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from ragtrial.documents.model import Document
from ragtrial.documents.parts import Link, Span
from ragtrial.questions.generate.overlap import Overlap
from ragtrial.questions.links.passages import Passage, passages
from ragtrial.questions.links.query import make_query
from ragtrial.questions.links.words import content_words, is_english
from ragtrial.questions.model import HARVESTED, Evidence, Place, Question
from ragtrial.questions.sections import SectionIndex, Target, content_of
from ragtrial.text.sentences import sentence_ends
from ragtrial.text.words import unicode_words

__all__ = ["ENOUGH", "EXPLORATORY", "Harvest", "Rules", "harvest", "harvest_enough"]

EXPLORATORY = (
    "The questions were harvested from the documents' own links: authors wrote them for readers of that page, not "
    "users for a search box, and no person checked that the linked section answers them. Their results are exploratory."
)
"""Why results on harvested questions are never more than exploratory."""

ENOUGH = 60
"""From so many questions on, sentences that only mention a section are left alone."""


@dataclass(frozen=True)
class Rules:
    """What lets a link become a question.

    - ``links``: the most links of a sentence;
    - ``new_words``: the fewest content words that are not in the title of what is linked;
    - ``short_page``: a page of so many characters may be linked as a whole, if it is no front page;
    - ``apart``: in one document, so many characters lie between the sentence and its evidence, so
      that no usual chunk holds both;
    - ``longest``: evidence ends with the block that passes so many characters, and is refused if it then has twice
      as many;
    - ``overlap``: the filter of lexical copies (METHODS section 7);
    - ``mentions``: whether a sentence may also only mention what it links to, which gives
      more questions and worse ones;
    - ``per_section``, ``per_document``: the most questions about one section and one document.
    """

    links: int = 2
    new_words: int = 4
    short_page: int = 3000
    apart: int = 2000
    longest: int = 1500
    overlap: Overlap = field(default_factory=Overlap)
    mentions: bool = False
    per_section: int = 2
    per_document: int = 10


@dataclass(frozen=True)
class Harvest:
    """Harvested questions in the order of the documents, and how many links each rule took, in order."""

    questions: tuple[Question, ...]
    funnel: tuple[tuple[str, int], ...]
    rules: Rules = field(default_factory=Rules)

    def lines(self) -> list[str]:
        """Return the funnel as lines of text: what was taken out, and what is left."""
        width = max(len(name) for name, _ in self.funnel)
        rows = [f"{name:<{width}}  {count:>6,}" for name, count in self.funnel]
        return [*rows, f"{'questions':<{width}}  {len(self.questions):>6,}"]


class _Found(NamedTuple):
    query: str
    target: Target
    evidence: Span
    source: Document
    passage: Passage


_LONGEST_SENTENCE = 1000
_TELLING = 400
_PATH = re.compile(r"\S*/\S*")

_REASONS = (
    "in a list of links, navigation or a table of contents",
    "to another site",
    "to a page or section that is not here",
    "in a sentence that is too long",
    "in a sentence with too many links",
    "to a whole page",
    "to a section without text",
    "to a section that begins with a long block",
    "to where it stands or near it",
    "only mentions its target",
    "is no sentence without its link",
    "needs the sentences around it",
    "says little beyond the title",
    "copies its evidence",
    "asks what another question asks",
    "over the limit of its section or document",
)


def harvest(documents: Sequence[Document], rules: Rules | None = None) -> Harvest:
    """Harvest questions from the links between and within documents.

    A sentence with a link has named its own answer: the query is the sentence without what only points, the
    evidence is the linked section's own text, and the paragraph that links is withheld from
    the question's pool. Every link that is not taken is counted under the first rule that refuses it.
    """
    rules = rules or Rules()
    index = SectionIndex(documents)
    counts: Counter[str] = Counter()
    found: list[_Found] = []
    links = 0
    held = [list(passages(document)) for document in documents]
    texts = [" ".join(passage.text for passage in here) for here in held]
    everywhere = is_english(" ".join(texts))
    for document, here, text in zip(documents, held, texts, strict=True):
        # A few words do not tell their language.
        english = is_english(text) if len(text) >= _TELLING else everywhere
        source = _Source(document, index, rules, english=english)
        for passage in here:
            for sentence, inside in _sentences(passage):
                links += len(inside)
                for link in inside:
                    try:
                        found.append(source.question(passage, sentence, inside, link))
                    except _RefusedError as refused:
                        counts[str(refused)] += 1
    kept = _balanced(_distinct(found, counts), counts, rules)
    funnel = [("links", links), *((f"- {reason}", counts[reason]) for reason in _REASONS if counts[reason])]
    return Harvest(tuple(_numbered(_question(item) for item in kept)), tuple(funnel), rules)


def harvest_enough(documents: Sequence[Document]) -> Harvest:
    """Harvest by the default rules or, where they give fewer than `ENOUGH` questions, with mentions too."""
    strict = harvest(documents)
    return strict if len(strict.questions) >= ENOUGH else harvest(documents, Rules(mentions=True))


def _sentences(passage: Passage) -> Iterator[tuple[str, list[Link]]]:
    """Yield each sentence of a passage that holds links, with the links on its own offsets."""
    start = 0
    for end in sentence_ends(passage.text):
        inside = [Link(a - start, b - start, t) for a, b, t in passage.links if start <= a < b <= end]
        if inside:
            yield passage.text[start:end], inside
        start = end


class _RefusedError(Exception):
    """The rule that a link does not pass; counted, never shown by itself."""


class _Source:
    """A document whose links are tried one by one."""

    def __init__(self, document: Document, index: SectionIndex, rules: Rules, *, english: bool) -> None:
        self._document = document
        self._index = index
        self._rules = rules
        self._english = english

    def question(self, passage: Passage, sentence: str, inside: Sequence[Link], link: Link) -> _Found:
        """Return what a link asks; one that asks nothing raises `_RefusedError`."""
        around = sentence[: link.start] + sentence[link.end :]
        text = sentence[link.start : link.end]
        path = _PATH.fullmatch(text) and not _is_bare(link, text)
        if _is_list(sentence, inside) or path or (passage.item and _few(around, self._rules)):
            raise _RefusedError("in a list of links, navigation or a table of contents")
        target = self._target(link)
        if len(sentence) > _LONGEST_SENTENCE:
            raise _RefusedError("in a sentence that is too long")
        if len(inside) > self._rules.links:
            raise _RefusedError("in a sentence with too many links")
        evidence = self._evidence(passage, target)
        sentence, link = self._titled(sentence, inside, link)
        return _Found(self._query(sentence, link, target, evidence), target, evidence, self._document, passage)

    def _target(self, link: Link) -> Target:
        target = self._index.by_link(link.target, self._document.id)
        if target is None:
            elsewhere = ":" in link.target.partition("/")[0] or link.target.startswith("//")
            raise _RefusedError("to another site" if elsewhere else "to a page or section that is not here")
        return target

    def _evidence(self, passage: Passage, target: Target) -> Span:
        long = len(target.document.text) > self._rules.short_page
        if target.section is None and (long or target.is_front_page):
            raise _RefusedError("to a whole page")
        content = content_of(target.document, target.section)
        if content is None:
            raise _RefusedError("to a section without text")
        evidence = _opening(target.document, content, self._rules.longest)
        if evidence.end - evidence.start > 2 * self._rules.longest:
            raise _RefusedError("to a section that begins with a long block")
        if target.document is self._document and _near(passage.place, evidence, self._rules.apart):
            raise _RefusedError("to where it stands or near it")
        return evidence

    def _titled(self, sentence: str, inside: Sequence[Link], link: Link) -> tuple[str, Link]:
        """Put titles where the other links of a sentence show labels, as a reader would see them."""
        for other in sorted(inside, reverse=True):
            text = sentence[other.start : other.end]
            if other == link or not _is_bare(other, text):
                continue
            target = self._index.by_link(other.target, self._document.id)
            if target is not None:
                sentence = sentence[: other.start] + target.title + sentence[other.end :]
                if other.start < link.start:
                    grown = len(target.title) - len(text)
                    link = Link(link.start + grown, link.end + grown, link.target)
        return sentence, link

    def _query(self, sentence: str, link: Link, target: Target, evidence: Span) -> str:
        text = sentence[link.start : link.end]
        # A bare reference of reStructuredText shows its label where a reader would see the title.
        title = f"{target.title} {text}" if _is_bare(link, text) else target.title
        query = make_query(sentence, link, title, english=self._english, mentions=self._rules.mentions)
        if query.refused:
            raise _RefusedError(query.refused)
        new = set(content_words(query.text)) - set(content_words(target.title))
        if len(new) < self._rules.new_words:
            raise _RefusedError("says little beyond the title")
        if self._rules.overlap.leak(query.text, [target.document.text[evidence.start : evidence.end]]):
            raise _RefusedError("copies its evidence")
        return query.text


def _is_bare(link: Link, text: str) -> bool:
    return link.target in (f"ref:{text}", f"doc:{text}")


def _few(text: str, rules: Rules) -> bool:
    return len(unicode_words(text)) < rules.new_words


def _is_list(sentence: str, inside: Sequence[Link]) -> bool:
    """Tell whether a sentence is little more than its links."""
    linked = sum(link.end - link.start for link in inside)
    return len(sentence.strip()) - linked < 10 or (len(inside) > 1 and linked > len(sentence.strip()) / 2)


def _opening(document: Document, content: Span, longest: int) -> Span:
    """Return a section's text up to the end of the block that passes so many characters."""
    ends = [block.end for block in document.blocks if content.start <= block.start and block.end <= content.end]
    return Span(content.start, next((end for end in ends if end - content.start >= longest), content.end))


def _near(one: Span, two: Span, apart: int) -> bool:
    return one.start < two.end + apart and two.start < one.end + apart


def _distinct(found: Sequence[_Found], counts: Counter[str]) -> list[_Found]:
    """Return one question of those that ask the same; what is asked of two sections is asked of neither."""
    groups: dict[str, list[_Found]] = defaultdict(list)
    for item in found:
        groups[" ".join(sorted(set(content_words(item.query))))].append(item)
    kept: list[_Found] = []
    for group in groups.values():
        places = {(item.target.document.id, item.evidence) for item in group}
        counts["asks what another question asks"] += len(group) - (len(places) == 1)
        kept += group[:1] if len(places) == 1 else []
    return kept


def _balanced(found: Sequence[_Found], counts: Counter[str], rules: Rules) -> list[_Found]:
    sections: Counter[tuple[str, Span]] = Counter()
    documents: Counter[str] = Counter()
    kept: list[_Found] = []
    for item in found:
        name = item.target.document.id
        place = (name, item.evidence)
        if sections[place] == rules.per_section or documents[name] == rules.per_document:
            counts["over the limit of its section or document"] += 1
            continue
        sections[place] += 1
        documents[name] += 1
        kept.append(item)
    return kept


def _numbered(questions: Iterable[Question]) -> Iterator[Question]:
    """Tell apart the questions of one paragraph about one section, which would have one id."""
    seen: Counter[str] = Counter()
    for question in questions:
        seen[question.id] += 1
        number = seen[question.id]
        yield question if number == 1 else replace(question, id=f"{question.id}#{number}")


def _question(item: _Found) -> Question:
    name, source = item.target.document.id, item.source.id
    text = item.target.document.text[item.evidence.start : item.evidence.end]
    return Question(
        id=f"{source}:{item.passage.place.start}>{name}:{item.evidence.start}",
        text=item.query,
        evidence=(Evidence(text, name, (item.evidence,)),),
        document=name,
        cluster=name,
        withheld=(Place(source, *item.passage.place),),
        origin=HARVESTED,
    )
