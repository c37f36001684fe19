import gzip
import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtrial.errors import UsageError
from ragtrial.measures.ceiling import ceiling, greedy_ranking
from ragtrial.measures.evidence import Gold
from ragtrial.measures.names import parse_measure
from ragtrial.measures.question import score_question
from ragtrial.measures.texts import TextTable
from ragtrial.text import tokens
from ragtrial.text.words import word_splitter

# ---- a plain second implementation, written from METHODS 5.1 alone ----


def plain_grams(words):
    if 1 <= len(words) < 5:
        return {tuple(words)}
    return {tuple(words[start : start + 5]) for start in range(len(words) - 4)}


def plain_fill(ranking, texts, budget):
    kept, used = [], 0
    for number in ranking:
        if used >= budget:
            break
        ids = tokens.encode(texts[number])[: budget - used]
        used += len(ids)
        kept.append(tokens.decode(ids))
    return kept


def plain_found(evidence, pieces, split):
    words = split(evidence)
    if not words:
        return False
    if len(words) < 5:
        size = len(words)
        return any(
            words == other[start : start + size]
            for other in map(split, pieces)
            for start in range(len(other) - size + 1)
        )
    grams = plain_grams(words)
    union = set().union(*(plain_grams(split(piece)) for piece in pieces))
    return len(grams & union) >= len(grams) / 2


def plain_recall(evidence, pieces, split):
    return sum(plain_found(text, pieces, split) for text in evidence) / len(evidence)


def plain_precision(evidence, pieces, split):
    selected = set().union(*(plain_grams(split(piece)) for piece in pieces))
    gold = set().union(*(plain_grams(split(text)) for text in evidence))
    return len(selected & gold) / len(selected) if selected else 0.0


def plain_score(name, ranking, texts, groups, split):
    kind, _, rest = name.partition("@")
    cutoff, _, variant = rest.partition(":")
    union = sorted({text for group in groups for text in group})
    if cutoff.endswith("t"):
        pieces = plain_fill(ranking, texts, int(cutoff[:-1]))
    else:
        pieces = [texts[number] for number in ranking[: int(cutoff)]]
    if kind == "precision":
        return plain_precision(union, pieces, split)
    if kind == "hit":
        return float(any(plain_found(text, pieces, split) for text in union))
    if kind == "mrr":
        for rank, piece in enumerate(pieces, 1):
            grams = plain_grams(split(piece))
            gold = set().union(*(plain_grams(split(text)) for text in union))
            if grams and len(grams & gold) / len(grams) >= 0.5:
                return 1 / rank
        return 0.0
    if variant == "max":
        return max(plain_recall(sorted(set(group)), pieces, split) for group in groups if group)
    return plain_recall(union, pieces, split)


# ---- small worlds in which much is found and much is nearly found ----

WORD = st.sampled_from(["a", "b", "C", "dd", "Über", "naïve", "東京", "1,5", "…", "x-y", "\n\n"])
CUT = st.tuples(st.integers(0, 40), st.integers(0, 14))


@st.composite
def worlds(draw):
    """Draw chunks and evidence, most of them cut from one text so that they overlap, and a ranking of all chunks."""
    words = draw(st.lists(WORD, max_size=45))
    text = st.one_of(CUT.map(lambda cut: " ".join(words[cut[0] : sum(cut)])), st.lists(WORD, max_size=8).map(" ".join))
    texts = draw(st.lists(text, min_size=1, max_size=6))
    groups = draw(st.lists(st.lists(text, max_size=3), min_size=1, max_size=3).filter(any))
    return texts, draw(st.permutations(range(len(texts)))), groups, draw(st.sampled_from(["study", "unicode"]))


NAMES = (
    *(f"{kind}@{budget}t" for kind in ("recall", "precision") for budget in (1, 3, 7, 12, 30, 1000)),
    *("recall@7t:max", "recall@30t:max", "recall@1:max", "mrr@1", "mrr@3", "mrr@10"),
    *(f"{kind}@{k}" for kind in ("hit", "recall") for k in (1, 2, 3, 50)),
)
MEASURES = tuple(map(parse_measure, NAMES))


@settings(deadline=None, max_examples=300)
@given(worlds())
def test_all_measures_equal_the_plain_implementation(world):
    texts, ranking, groups, words = world
    split = word_splitter(words)
    values = score_question(MEASURES, ranking, TextTable(texts, words), Gold.of(groups, words))
    assert dict(zip(NAMES, values, strict=True)) == {
        name: plain_score(name, ranking, texts, groups, split) for name in NAMES
    }
    assert all(0 <= value <= 1 for value in values)


@settings(deadline=None)
@given(worlds())
def test_recall_never_falls_with_the_budget(world):
    texts, ranking, groups, words = world
    measures = tuple(parse_measure(f"recall@{budget}t") for budget in range(1, 60))
    values = score_question(measures, ranking, TextTable(texts, words), Gold.of(groups, words))
    # A cut may end in half a word that happens to be evidence ("cat" of "cats"); these words have no such halves.
    assert list(values) == sorted(values)


@settings(deadline=None)
@given(worlds())
def test_the_order_of_measures_and_the_company_they_keep_do_not_matter(world):
    texts, ranking, groups, words = world
    table, gold = TextTable(texts, words), Gold.of(groups, words)
    together = score_question(MEASURES, ranking, table, gold)
    assert score_question(MEASURES[::-1], ranking, table, gold) == together[::-1]
    assert tuple(score_question((measure,), ranking, table, gold)[0] for measure in MEASURES) == together


@settings(deadline=None)
@given(worlds())
def test_a_repeated_chunk_pays_nothing(world):
    texts, ranking, groups, words = world
    gold = Gold.of(groups, words)
    once = score_question(MEASURES, ranking, TextTable(texts, words), gold)
    # The copy of every chunk comes directly behind it, so twice the chunks and twice the budget hold the same grams.
    twice = [number for number in ranking for _ in (0, 1)]
    table = TextTable(texts, words)
    whole = tuple(parse_measure(name) for name in ("recall@1000t", "precision@1000t", "recall@50", "hit@50"))
    assert score_question(whole, twice, table, gold) == score_question(whole, ranking, table, gold)
    first = parse_measure("recall@2")
    assert score_question((first,), twice, table, gold)[0] == once[NAMES.index("recall@1")]


@settings(deadline=None)
@given(worlds(), st.integers(1, 40), st.sampled_from(["recall", "precision"]))
def test_the_ceiling_is_the_better_of_the_greedy_orders(world, budget, goal):
    texts, ranking, groups, words = world
    table, gold = TextTable(texts, words), Gold.of(groups, words)
    orders = [greedy_ranking(goal, budget, ranking, table, gold, per_token=per_token) for per_token in (False, True)]
    assert all(sorted(order) == sorted(ranking) for order in orders)
    name = f"{goal}@{budget}t"
    split = word_splitter(words)
    (value,) = score_question((parse_measure(f"{name}:ceiling"),), ranking, table, gold)
    assert value == max(plain_score(name, order, texts, groups, split) for order in orders)
    assert value == ceiling(goal, budget, sorted(ranking), table, gold)
    assert 0 <= value <= 1


# ---- by hand ----

ONE_TO_TWELVE = "one two three four five six seven eight nine ten eleven twelve"


def score(name, texts, evidence, ranking=None):
    gold = Gold.of(evidence if isinstance(evidence[0], list) else [evidence], "study")
    order = list(range(len(texts))) if ranking is None else ranking
    return score_question((parse_measure(name),), order, TextTable(texts, "study"), gold)[0]


@pytest.mark.parametrize(
    ("chunk", "value"),
    [
        ("one two three four five six seven eight", 1.0),  # 4 of 8 grams
        ("one two three four five six seven", 0.0),  # 3 of 8
        ("three four five six seven eight nine ten", 1.0),
        (ONE_TO_TWELVE.upper(), 1.0),
        (ONE_TO_TWELVE.replace(" ", "\n, "), 1.0),
    ],
)
def test_half_of_the_grams_find_an_evidence_text(chunk, value):
    assert score("recall@512t", [chunk], [ONE_TO_TWELVE]) == value


def test_grams_are_joined_over_pieces_but_never_made_across_them():
    halves = ["one two three four five six", "seven eight nine ten eleven twelve"]
    assert score("recall@512t", halves, [ONE_TO_TWELVE]) == 1.0  # 2 + 2 of 8
    thirds = ["one two three four", "five six seven eight", "nine ten eleven twelve"]
    assert score("recall@512t", thirds, [ONE_TO_TWELVE]) == 0.0


def test_short_evidence_is_found_inside_one_piece_only():
    assert score("recall@512t", ["the answer is 42 of course"], ["Answer is 42!"]) == 1.0
    assert score("recall@512t", ["the answer", "is 42 of course"], ["Answer is 42!"]) == 0.0
    assert score("recall@512t", ["answer it is 42"], ["Answer is 42!"]) == 0.0
    assert score("recall@3t", ["the answer is 42"], ["Answer is 42!"]) == 0.0


def test_evidence_without_words_is_never_found_and_still_counts():
    assert score("recall@512t", ["— 42 —"], ["42", "—"]) == 0.5
    assert score("hit@1", ["— 42 —"], ["—"]) == 0.0


def test_the_best_annotator_counts_his_own_evidence():
    texts = ["alpha", "beta"]
    groups = [["alpha", "gamma"], [], ["beta", "delta", "epsilon"], ["alpha"]]
    assert score("recall@512t", texts, groups) == 2 / 5
    assert score("recall@512t:max", texts, groups) == 1.0
    assert score("recall@512t:max", texts, groups[:3]) == 0.5


def test_precision_counts_distinct_grams_and_is_zero_on_nothing():
    gold = ["one two three four five six"]  # 2 grams
    assert score("precision@512t", [ONE_TO_TWELVE], gold) == 2 / 8
    assert score("precision@512t", [ONE_TO_TWELVE, ONE_TO_TWELVE], gold) == 2 / 8
    assert score("precision@6t", [ONE_TO_TWELVE], gold) == 1.0
    assert score("precision@18t", [ONE_TO_TWELVE, ONE_TO_TWELVE], gold) == 2 / 8  # the part repeats both gold grams
    assert score("precision@512t", ["…", ""], gold) == 0.0
    assert score("precision@512t", [], gold) == 0.0


def test_the_first_chunk_that_is_half_gold_is_the_first_relevant_one():
    texts = ["", "no such words here at all", "one two three four five six seven", ONE_TO_TWELVE]
    gold = ["one two three four five six"]  # 2 of 3 grams, then 2 of 8
    assert score("mrr@10", texts, gold) == 1 / 3
    assert score("mrr@2", texts, gold) == 0.0
    assert score("mrr@10", texts, gold, ranking=[3, 2, 1, 0]) == 1 / 2


def test_the_oracle_takes_what_the_budget_lets_it_use():
    evidence = ["alpha beta", "gamma delta"]
    padded = "alpha beta " + "filler " * 10 + "gamma delta"
    texts = [padded, "alpha beta", "gamma delta", "nothing"]
    sizes = [tokens.count(text) for text in texts]
    enough = sizes[1] + sizes[2]
    assert enough < sizes[0]
    assert score("recall@1000t:ceiling", texts, evidence, ranking=[3, 2, 1, 0]) == 1.0
    assert score(f"recall@{enough}t:ceiling", texts, evidence, ranking=[3, 0, 2, 1]) == 1.0
    assert score(f"recall@{enough}t", texts, evidence, ranking=[3, 0, 2, 1]) == 0.5
    assert score("precision@1000t:ceiling", texts, ["nothing"]) == pytest.approx(1 / score_size(texts))


def test_what_adds_nothing_follows_the_greedy_choice_in_order():
    table = TextTable(["nothing", "beta", "alpha", "alpha beta gamma", "beta"], "study")
    gold = Gold.of([["alpha", "beta"]], "study")
    assert greedy_ranking("recall", 100, range(5), table, gold, per_token=False) == [3, 0, 1, 2, 4]
    assert greedy_ranking("recall", 100, range(5), table, gold, per_token=True) == [1, 2, 0, 3, 4]


def test_more_of_a_text_than_is_needed_to_find_it_is_no_progress():
    table = TextTable([ONE_TO_TWELVE, "alpha one two three four five six seven eight"], "study")
    gold = Gold.of([["alpha", ONE_TO_TWELVE]], "study")
    assert greedy_ranking("recall", 100, range(2), table, gold, per_token=False) == [1, 0]
    assert greedy_ranking("precision", 100, range(2), table, gold, per_token=False) == [0, 1]


def test_progress_adds_up_over_chunks():
    table = TextTable(["nothing", "one two three four five six", "seven eight nine ten eleven twelve"], "study")
    gold = Gold.of([[ONE_TO_TWELVE]], "study")
    assert greedy_ranking("recall", 100, range(3), table, gold, per_token=False) == [1, 2, 0]


def score_size(texts):
    return len(set().union(*(plain_grams(word_splitter("study")(text)) for text in texts)))


def test_texts_and_evidence_must_be_split_alike():
    with pytest.raises(UsageError, match="'study' words but the evidence into 'unicode' words"):
        score_question((parse_measure("hit@1"),), [0], TextTable(["x"], "study"), Gold.of([["x"]], "unicode"))


# ---- the published scores of the pilot ----


def plain_bm25(texts, query, split):
    """Rank as Okapi BM25 of METHODS 4, in plain Python."""
    bags = [split(text) for text in texts]
    mean = sum(map(len, bags)) / len(bags)
    holders = {}
    for bag in bags:
        for word in set(bag):
            holders[word] = holders.get(word, 0) + 1
    idf = {word: math.log(len(bags) - n + 0.5) - math.log(n + 0.5) for word, n in holders.items()}
    floor = 0.25 * sum(idf.values()) / len(idf)
    scores = []
    for bag in bags:
        norm = 1.5 * (0.25 + 0.75 * len(bag) / mean)
        counts = [bag.count(word) for word in split(query)]
        weights = [idf.get(word, 0.0) if idf.get(word, 0.0) >= 0 else floor for word in split(query)]
        scores.append(sum(w * n * 2.5 / (n + norm) for w, n in zip(weights, counts, strict=True)))
    return sorted(range(len(texts)), key=lambda number: -scores[number])


def markdown_of(paper):
    blocks = [f"# {paper['title'].strip()}", "## Abstract", paper["abstract"].strip()]
    for section in paper["full_text"]:
        parts = (section["section_name"] or "").split(":::")
        if parts[-1].strip():
            blocks.append(f"{'#' * min(1 + len(parts), 6)} {parts[-1].strip()}")
        blocks += [paragraph.strip() for paragraph in section["paragraphs"]]
    return "".join(f"{block}\n\n" for block in blocks if block)


def evidence_of(question):
    answers = [row["answer"] for row in question["answers"] if not row["answer"]["unanswerable"]]
    return [
        [
            text
            for text in answer["evidence"]
            if text.strip() and not text.startswith("FLOAT SELECTED") and ":::" not in text
        ]
        for answer in answers
    ]


def test_the_pilot_scores_of_fixed_windows_are_the_published_ones(shared):
    papers = {}
    for split in ("dev", "test"):
        with gzip.open(shared(f"data/qasper/qasper-{split}-v0.3.json.gz")) as file:
            papers |= json.load(file)
    published = json.loads(shared("oracles/pilot-per-question.json").read_text())["values"]["bm25 | chars(512)"]
    measure, split = (parse_measure("recall@512t"),), word_splitter("study")
    scores = {}
    for paper in published:
        text = markdown_of(papers[paper])
        texts = [text[start : start + 512] for start in range(0, len(text), 512)]
        table = TextTable(texts, "study")
        scores[paper] = [
            score_question(measure, plain_bm25(texts, row["question"], split), table, Gold.of(groups, "study"))[0]
            for row in papers[paper]["qas"]
            if any(groups := evidence_of(row))
        ]
    assert scores == published
    assert sum(map(len, scores.values())) == 79
