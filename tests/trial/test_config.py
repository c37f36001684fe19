"""Trial files: every fault at once, each with its line and what to do; and what a good one means."""

import re
from copy import deepcopy

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ragtrial.chunkers.headers import Headers
from ragtrial.errors import ConfigError
from ragtrial.prefixes.path import Path as PathStep
from ragtrial.retrievers.bm25 import BM25
from ragtrial.trial.arms import Arm
from ragtrial.trial.config import Trial

GOOD = """\
title = "Good"
documents = "docs"
questions = "questions.jsonl"

[arms]
fixed = "chars(512)"
path = "headers + path"

[retrievers]
bm25 = "bm25"

[[contrasts]]
name = "structure"
of = "path - fixed"
"""


@pytest.fixture
def read(tmp_path):
    """Return a function that writes a trial file and reads it."""

    def written(text):
        (tmp_path / "trial.toml").write_text(text, encoding="utf-8", newline="\n")
        return Trial.read(tmp_path / "trial.toml")

    return written


@pytest.fixture
def faults(read, tmp_path):
    """Return a function that reads a faulty trial file and gives the sentences by line."""

    def found(text):
        with pytest.raises(ConfigError) as caught:
            read(text)
        assert caught.value.exit_code == 2
        first, *rest = caught.value.message.split("\n")
        count = "one fault" if len(rest) == 1 else f"{len(rest)} faults"
        assert first == f"{tmp_path / 'trial.toml'} has {count}:"
        place = re.compile(re.escape(f"  {tmp_path / 'trial.toml'}:") + r"(\d+): (.+)")
        return [(int(match[1]), match[2]) for line in rest if (match := place.fullmatch(line))]

    return found


def test_a_good_file(read, tmp_path):
    trial = read(GOOD)
    assert trial.title == "Good"
    assert trial.arms == {"fixed": Arm.of("chars(512)"), "path": Arm.of("headers + path")}
    assert trial.retrievers == {"bm25": BM25()}
    assert trial.contrasts[0].arms == ("path", "fixed")
    assert trial.primary_retriever == "bm25"
    assert trial.given["arms"] == {"fixed": "chars(512)", "path": "headers + path"}
    assert trial.file == tmp_path / "trial.toml"


def test_the_budget_curve_is_scored_by_default(read):
    names = [measure.name for measure in read(GOOD).all_measures]
    assert names[0] == "recall@512t"
    assert len(set(names)) == len(names)
    assert {"recall@256t", "recall@1024t", "recall@2048t", "precision@1024t"} <= set(names)


def test_objects_and_expressions_are_one_spelling():
    keys = {"documents": "d", "questions": "q", "retrievers": {"r": "bm25(k1=1.2)"}, "arms": {"a": "headers + path"}}
    objects = keys | {"retrievers": {"r": BM25(k1=1.2)}, "arms": {"a": Headers() + PathStep()}}
    assert Trial.of(keys) == Trial.of(objects)
    assert Trial.of(keys).given == Trial.of(objects).given


# Each line: what is changed in the good file, the line at which it is told, and words of the sentence.
SINGLE = [
    ('title = "Good"', 'titel = "Good"', 1, "unknown key 'titel'. Did you mean 'title'?"),
    ('questions = "questions.jsonl"', 'qestions = "q"', 3, "unknown key 'qestions'. Did you mean 'questions'?"),
    ('documents = "docs"', "documents = 3", 2, "documents"),
    ('fixed = "chars(512)"', 'fixed = "charz(512)"', 6, "no chunker called 'charz'. Did you mean 'chars'?"),
    ('fixed = "chars(512)"', 'fixed = "chars(0)"', 6, "chars cannot be built: size"),
    ('fixed = "chars(512)"', 'fixed = "chars(512, overlapp=3)"', 6, "chars has no parameter 'overlapp'."),
    ('fixed = "chars(512)"', 'fixed = "tokens(8, overlap=8)"', 6, "overlap"),
    ('fixed = "chars(512)"', 'fixed = "chars("', 6, "Cannot read the expression 'chars('"),
    ('fixed = "chars(512)"', 'fixed = ""', 6, "Cannot read the expression ''"),
    ('fixed = "chars(512)"', "fixed = 512", 6, "512"),
    ('fixed = "chars(512)"', 'fixed = ["chars(512)"]', 6, "fixed"),
    ('fixed = "chars(512)"', 'fixed = "bm25"', 6, "no chunker called 'bm25'"),
    ('path = "headers + path"', 'path = "path"', 7, "'headers + path'"),
    ('path = "headers + path"', 'path = "headers + pth"', 7, "no step called 'pth'. Did you mean 'path'?"),
    ('path = "headers + path"', "path = \"headers(dialect='studdy') + path\"", 7, "'commonmark' or 'study'"),
    ('path = "headers + path"', 'path = "headers - path"', 7, "headers - path"),
    ('path = "headers + path"', "path = \"__import__('os').system('true')\"", 7, "Cannot read"),
    ('bm25 = "bm25"', 'bm25 = "bm52"', 10, "no retriever called 'bm52'. Did you mean 'bm25'?"),
    ('bm25 = "bm25"', "bm25 = 25", 10, "25 is no"),
    ('bm25 = "bm25"', "bm25 = \"bm25(variant='okapy')\"", 10, "'okapi'"),
    ('bm25 = "bm25"', 'bm25 = "headers"', 10, "no retriever called 'headers'"),
    ('of = "path - fixed"', 'of = "path - fixt"', 14, "no arm called 'fixt'. Did you mean 'fixed'?"),
    ('of = "path - fixed"', 'of = "path + fixed"', 14, "'A - B'"),
    ('of = "path - fixed"', 'of = "path - path"', 14, "compares an arm with itself"),
    ('of = "path - fixed"', "of = 7", 14, "of"),
    ('name = "structure"', "nam = 'structure'", 13, "unknown key 'nam'. Did you mean 'name'?"),
    ('name = "structure"\n', "", 12, "name"),
    ('name = "structure"', 'name = "s"\nretriever = "dense"', 14, "no retriever called 'dense'. Known: bm25."),
    ('name = "structure"', 'name = "s"\nmeasure = "recall"', 14, "'recall' is not a measure"),
    ('name = "structure"', 'name = "s"\nmargin = 5', 14, "takes no margin"),
    ('name = "structure"', 'name = "s"\ntest = "equivalence"', 12, "needs a margin in points"),
    ('name = "structure"', 'name = "s"\ntest = "equivalence"\nmargin = 0', 15, "greater than 0"),
    ('name = "structure"', 'name = "s"\ntest = "same"', 14, "'difference', 'equivalence' or 'non-inferiority'"),
    ('name = "structure"', 'name = "s"\nfamily = ["H1"]', 14, "family"),
    ('title = "Good"', 'primary = "recal@512t"', 1, "no measure called 'recal'. Did you mean 'recall'?"),
    ('title = "Good"', 'measures = ["hit@5t"]', 1, "hit is cut after chunks"),
    ('title = "Good"', 'measures = "hit@5"', 1, "measures"),
    ('title = "Good"', 'retriever = "bm52"', 1, "no retriever called 'bm52'. Did you mean 'bm25'?"),
    ('title = "Good"', 'pool = "corpse"', 1, "'document', 'group' or 'corpus'"),
    ('title = "Good"', 'interval = "bootstrap"', 1, "'bca' or 'percentile'"),
    ('title = "Good"', "resamples = 99", 1, "greater than or equal to 100"),
    ('title = "Good"', "seed = -1", 1, "greater than or equal to 0"),
    ('title = "Good"', 'seed = "0"', 1, "seed"),
    ('title = "Good"', "keep = 0", 1, "greater than or equal to 1"),
]


@pytest.mark.parametrize(("old", "new", "line", "words"), SINGLE, ids=[new.split("\n")[-1] for _, new, *_ in SINGLE])
def test_one_fault_is_told_with_its_line(faults, old, new, line, words):
    assert GOOD.count(old) == 1
    told = faults(GOOD.replace(old, new))
    assert [number for number, sentence in told if words in sentence] == [line], told


def test_missing_parts_are_named(faults):
    sentences = " ".join(sentence for _, sentence in faults(""))
    for key in ("arms", "retrievers", "documents", "questions"):
        assert f"'{key}'" in sentences


def test_empty_tables_are_named(faults):
    told = faults('documents = "d"\nquestions = "q"\n\n[arms]\n\n[retrievers]\n')
    assert [line for line, _ in told] == [4, 6]


def test_a_data_set_takes_no_documents(faults):
    told = faults(GOOD.replace('title = "Good"', "") + '\n[dataset]\nreader = "demo"\n')
    assert sorted(line for line, _ in told) == [2, 3]


@pytest.mark.parametrize("key", ["include", "exclude", "dialect", "encoding", "read_as"])
def test_how_documents_are_read_is_for_one_s_own(faults, key):
    value = {"dialect": '"study"', "encoding": '"utf-8"', "read_as": '{ ".txt" = "rst" }'}.get(key, '["*.md"]')
    told = faults(f'{key} = {value}\n[dataset]\nreader = "demo"\n\n[arms]\na = "headers"\n\n[retrievers]\nb = "bm25"\n')
    assert told == [(1, told[0][1])]
    assert f"{key!r} is for documents of one's own" in told[0][1]


def test_an_unknown_key_of_a_data_set(faults):
    told = faults('[dataset]\nreader = "demo"\nprotokol = "mdk"\n\n[arms]\na = "headers"\n\n[retrievers]\nb = "bm25"\n')
    assert told == [(3, told[0][1])]
    assert "unknown key 'protokol'. Did you mean 'protocol'?" in told[0][1]


def test_two_contrasts_of_one_name(faults):
    told = faults(GOOD + '\n[[contrasts]]\nname = "structure"\nof = "fixed - path"\n')
    assert told == [(17, "2 contrasts are called 'structure'")]


MANY = """\
documents = "docs"
questions = "questions.jsonl"
pool = "corpse"
resamples = 5

[arms]
fixed = "charz(512)"   # a comment
"my arm" = "headers(maxx=3)"
path = "headers + pth"

[retrievers]
bm25 = "bm52"

[[contrasts]]
name = "one"
of = "path - fixt"

[[contrasts]]
name = "one"
of = "path ~ fixed"
test = "same"
colour = "red"
"""


def test_all_faults_are_told_at_once_in_the_order_of_the_file(faults):
    told = faults(MANY)
    expected = {
        3: "corpus",
        4: "100",
        7: "charz",
        8: "maxx",
        9: "pth",
        12: "bm52",
        16: "fixt",
        19: "2 contrasts",
        20: "path ~ fixed",
        21: "'non-inferiority'",
        22: "colour",
    }
    assert [line for line, _ in told] == list(expected)
    assert all(expected[line] in sentence for line, sentence in told)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a = \n", 1),
        ('title = "x"\ntitle = "y"\n', 2),
        ('\n\n[arms\nx = "y"\n', 3),
        ('title = "x\n', 1),
        ("\n= 3\n", 2),
        ("title = 'a'\n[arms]\nfixed = 'chars(512)\n", 3),
    ],
)
def test_what_is_not_toml_is_told_with_file_and_line(read, tmp_path, text, line):
    with pytest.raises(ConfigError) as caught:
        read(text)
    assert caught.value.exit_code == 2
    assert f"{tmp_path / 'trial.toml'}:{line}: " in caught.value.message


def test_no_such_file_and_a_folder(tmp_path):
    with pytest.raises(ConfigError, match=r"There is no trial file .*missing\.toml") as caught:
        Trial.read(tmp_path / "missing.toml")
    assert caught.value.hint
    with pytest.raises(ConfigError, match="is a folder, not a trial file") as caught:
        Trial.read(tmp_path)
    assert str(tmp_path / "trial.toml") in caught.value.hint


@pytest.mark.parametrize("data", [b"title = '\xe9'\n", b"\xff\xfet\x00", b"\x00"])
def test_a_file_that_is_not_text(tmp_path, data):
    (tmp_path / "trial.toml").write_bytes(data)
    with pytest.raises(ConfigError, match=r"trial\.toml"):
        Trial.read(tmp_path / "trial.toml")


@pytest.mark.parametrize("before", ["\ufeff", "# first\r\n"])
def test_marks_and_line_ends_of_other_systems(tmp_path, before):
    path = tmp_path / "trial.toml"
    text = before + GOOD.replace("\n", "\r\n").replace("charz", "chars")
    path.write_bytes(text.replace('"chars(512)"', '"charz(512)"').encode())
    with pytest.raises(ConfigError, match=rf"trial\.toml:{7 if before.startswith('#') else 6}: .*charz"):
        Trial.read(path)


def test_a_path_is_looked_for_beside_the_file_and_then_from_here(tmp_path, monkeypatch):
    (tmp_path / "here" / "docs").mkdir(parents=True)
    (tmp_path / "trials").mkdir()
    (tmp_path / "trials" / "trial.toml").write_text(GOOD, encoding="utf-8")
    monkeypatch.chdir(tmp_path / "here")
    trial = Trial.read(tmp_path / "trials" / "trial.toml")
    assert trial.resolve("docs").samefile(tmp_path / "here" / "docs")
    (tmp_path / "trials" / "docs").mkdir()
    assert trial.resolve("docs") == tmp_path / "trials" / "docs"
    assert trial.resolve("nowhere") == tmp_path / "trials" / "nowhere"


KEYS = {
    "title": "t",
    "documents": "docs",
    "include": ["a"],
    "questions": "q",
    "primary": "hit@1",
    "measures": ["mrr@10"],
    "retriever": "b",
    "arms": {"a": "headers", "c": "chars(5)"},
    "retrievers": {"b": "bm25"},
    "contrasts": [{"name": "n", "of": "a - c", "family": "f", "retriever": "b", "measure": "hit@5"}],
    "families": {"f": {"demands": "sign-flip"}},
    "seed": 1,
}

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
)
PLACES = [
    *((key,) for key in KEYS),
    ("new",),
    ("include", 0),
    ("measures", 0),
    ("arms", "a"),
    ("retrievers", "b"),
    ("families", "f"),
    ("families", "f", "demands"),
    ("contrasts", 0),
    *(("contrasts", 0, key) for key in (*KEYS["contrasts"][0], "test", "margin", "tier", "new")),
]


@given(st.sampled_from(PLACES), VALUES)
@example(("arms", "a"), 4)
@example(("contrasts", 0, "family"), [1])
@example(("contrasts", 0, "name"), {"a": 1})
def test_any_value_at_any_key_is_taken_or_told(place, value):
    keys = deepcopy(KEYS)
    inner = keys
    for step in place[:-1]:
        inner = inner[step]
    inner[place[-1]] = value
    try:
        trial = Trial.of(keys)
    except ConfigError as error:
        first, *told = error.message.split("\n  ")
        assert first.startswith("The trial has")
        assert all(line.strip() for line in told)
    else:
        assert trial.given


@pytest.mark.parametrize("name", [" hit@1", "hit@1 "])
def test_blanks_around_a_measure_do_not_count(name):
    def trial_under(measure):
        contrast = KEYS["contrasts"][0] | {"measure": measure}
        return Trial.of(KEYS | {"primary": measure, "measures": [measure], "contrasts": [contrast]})

    trial, plain = trial_under(name), trial_under("hit@1")
    assert (trial.primary, trial.contrasts) == (plain.primary, plain.contrasts)
    assert trial.all_measures == plain.all_measures
