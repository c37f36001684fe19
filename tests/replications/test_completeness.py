"""What a replication lacks stops it, or stands above its numbers; what it refuses leaves the folder as it was."""

import json

import pytest

ARGUMENTS = ["llm-call-per-chunk", "--only=qasper", "--only=S+T", "--only=E", "--only=bm25"]


@pytest.fixture
def run(corpus, replicate, played, tmp_path):
    """Return a function that replicates two arms into one folder, with more options."""

    def again(*more, data=corpus):
        return replicate(*ARGUMENTS, f"--data=qasper={data}", *played, *more, "--output", tmp_path / "out")

    return again


def failing(chat_server, *books):
    """Let the server refuse every call about some books."""
    answer = chat_server.reply
    chat_server.reply = lambda call: (
        chat_server.status(400) if any(f"In book {book} " in call.user for book in books) else answer(call)
    )


def test_more_than_a_twentieth_of_the_documents_failed(run, chat_server, tmp_path):
    failing(chat_server, 4)
    code, out, err = run()
    assert code == 1
    assert "1 of 6 documents of qasper (16.7%) failed in some arm, and at most 5% may: nothing was scored" in err
    assert "group1/book4.md" in err
    assert out == ""
    assert not (tmp_path / "out/qasper/record").exists()
    code, out, err = run("--incomplete")
    assert code == 0, err
    said = "INCOMPLETE: 1 of 6 documents of qasper failed in some arm and left all arms with their questions."
    assert said in out
    assert said in (tmp_path / "out/comparison.md").read_text(encoding="utf-8")
    (lacking,) = json.loads((tmp_path / "out/comparison.json").read_text(encoding="utf-8"))["lacking"]
    assert lacking == {"part": "qasper", "documents": 5, "failed_documents": 1, "unread": []}


def test_a_twentieth_may_fail(run, chat_server, monkeypatch):
    monkeypatch.setattr("ragtrial.replications.run.MOST_FAILED", 1 / 6)
    failing(chat_server, 4)
    code, out, err = run()
    assert code == 0, err
    assert "INCOMPLETE: 1 of 6 documents" in out


def test_replies_that_cannot_be_read_stop_it_too(run, chat_server, tmp_path):
    chat_server.reply = lambda _: "banana"
    code, out, err = run()
    assert code == 1
    assert "No reply could be read about 30 of 30 chunks of the arm 'E' of qasper" in err
    assert out == ""
    code, out, err = run("--incomplete")
    assert code == 0, err
    assert "INCOMPLETE: no reply could be read about 30 of 30 chunks of the arm E of qasper." in out


def test_a_plan_after_the_outcomes_is_refused(run, files_of, tmp_path):
    code, _, err = run()
    assert code == 0, err
    before = files_of(tmp_path / "out")
    code, _, err = run("--freeze")
    assert code == 3
    assert "outcomes were seen, and a plan frozen now would say that none were" in err
    assert files_of(tmp_path / "out") == before


@pytest.mark.parametrize("freeze", [["--freeze"], []])
@pytest.mark.parametrize("changed", ["--sample=3", "--embedder=nomic=minilm", "--data"])
def test_what_is_refused_leaves_the_folder_as_it_was(run, files_of, tmp_path, corpus, freeze, changed):
    code, _, err = run(*freeze)
    assert code == 0, err
    before = files_of(tmp_path / "out")
    if changed == "--data":
        page = corpus / "documents" / "group0" / "book0.md"
        page.write_text(page.read_text(encoding="utf-8") + "\nOne more line.\n", encoding="utf-8")
        code, _, err = run()
    elif changed == "--sample=3":
        code, _, err = run(changed)
    else:
        code, _, err = run("--only=hybrid", changed)
    assert code == 3, err
    assert files_of(tmp_path / "out") == before


def test_other_data_than_the_paper_s_is_told(run, tmp_path):
    code, out, err = run()
    assert code == 0, err
    assert "qasper was measured on documents and questions of the user's own, not on the paper's." in out
    assert "with the paper's models and data" not in out
    comparison = json.loads((tmp_path / "out/comparison.json").read_text(encoding="utf-8"))
    assert comparison["other_data"] == {"qasper": "documents and questions of the user's own"}
    assert {row["equal"] for row in comparison["counts"]} == {None}


def test_a_selection_of_one_s_own_questions_is_refused(run, tmp_path):
    chosen = tmp_path / "ids.txt"
    chosen.write_text("q00\n", encoding="utf-8")
    code, out, err = run(f"--select=qasper={chosen}")
    assert code == 2
    assert "those of qasper are in a file of yours" in err
    assert out == ""
