"""A trial with arms that ask a model: checked for nothing, run, and its record."""

import json

import pytest

TRIAL = """\
documents = "docs/"
questions = "questions.jsonl"

[arms]
plain = "headers(min=0)"
paid = "headers(min=0) + enriched('small', url='URL')"
merged = "headers(min=0) + enriched('small', url='URL') + merge('key')"
control = "headers(min=0) + enriched('small', url='URL') + merge('random')"

[retrievers]
bm25 = "bm25"
linked = "expand(bm25, 'related')"
near = "expand(bm25, 'adjacent')"

[only]
linked = ["paid", "merged", "control"]
near = ["paid", "merged", "control"]

[[contrasts]]
name = "enrichment"
of = "paid - plain"
retriever = "bm25"
"""

SAID = json.dumps({"title": "<b>T</b>", "summary": "S.", "keywords": [], "questions": [], "key": "same"})


@pytest.fixture
def trial(pump, monkeypatch, chat_server):
    chat_server.reply = SAID
    monkeypatch.chdir(pump)
    path = pump / "asking.toml"
    path.write_text(TRIAL.replace("URL", chat_server.url))
    return path


def test_check_asks_nothing(trial, call, chat_server):
    done = call("check", trial)
    assert done.code == 0, done.err
    assert chat_server.calls == []
    assert "  arm plain: 5 chunks (headers(min=0" in done.out
    assert "No model was asked" in done.out


def test_the_record_says_what_steps_counted(trial, call, chat_server, pump):
    done = call("run", trial, "--output", "record")
    assert done.code == 0, done.err
    assert len(chat_server.calls) == 5
    header = json.loads((pump / "record" / "record.json").read_text())
    rows = {row["arm"]: row for row in header["arms"]}
    assert rows["plain"]["reports"] == []
    assert rows["paid"]["reports"][0]["keyed"] == 5
    assert [report["step"] for report in rows["merged"]["reports"]] == ["enriched", "merge"]
    assert rows["merged"]["chunks"] == rows["control"]["chunks"] == 4
    given = header["effective"]["arms"]["paid"]["steps"][0]
    assert (given["language_model"]["model"], given["prompt"]["version"]) == ("small", 1)
    (model,) = header["language_models"]
    assert (model["model"], model["url"]) == ("small", chat_server.url)
    assert model["served"] == {"models": ["scripted-model"], "fingerprints": ["fp-1"], "digest": None}


def test_models_that_differ_only_in_what_no_reply_depends_on_are_one(trial, call, chat_server, pump):
    text = trial.read_text()
    plain = f"headers(min=0) + enriched('small', url='{chat_server.url}')"
    trial.write_text(text.replace(f'paid = "{plain}"', f'paid = "{plain[:-1]}, window=9000)"'))
    assert trial.read_text() != text
    assert call("run", trial, "--output", "record").code == 0
    header = json.loads((pump / "record" / "record.json").read_text())
    (model,) = header["language_models"]
    assert model["served"]["fingerprints"] == ["fp-1"]


def test_a_model_that_changes_while_arms_are_made_is_a_doubt(trial, call, chat_server, pump):
    def said(call):
        chat_server.fingerprint = f"fp-{call.number % 2}"
        return chat_server.text(call, SAID)

    chat_server.reply = said
    assert call("run", trial, "--output", "record").code == 0
    header = json.loads((pump / "record" / "record.json").read_text())
    assert header["language_models"][0]["served"]["fingerprints"] == ["fp-0", "fp-1"]
    assert "The model 'small' changed while arms were made with it: 2 builds answered." in header["doubts"]
    # Kept replies say who gave them: a run that asks nobody has the same record.
    asked = len(chat_server.calls)
    assert call("run", trial, "--output", "again").code == 0
    assert len(chat_server.calls) == asked
    assert json.loads((pump / "again" / "record.json").read_text())["language_models"] == header["language_models"]


def test_a_model_whose_replies_cannot_be_read_is_a_doubt(trial, call, chat_server, pump):
    chat_server.reply = lambda call: "no" if "(first chunk)" in call.user else SAID
    assert call("run", trial, "--output", "record").code == 0
    header = json.loads((pump / "record" / "record.json").read_text())
    (doubt,) = [doubt for doubt in header["doubts"] if "generated fields" in doubt]
    assert doubt.startswith("paid, merged, control: enriched: 4 of 5 chunks have no generated fields")


def test_a_key_stands_in_no_file_and_what_a_model_says_on_no_page_as_code(
    trial, call, chat_server, pump, tmp_path, monkeypatch
):
    key = "sk-test-1234567890-abcdef"
    monkeypatch.setenv("MY_KEY", key)
    trial.write_text(trial.read_text().replace("enriched('small', ", "enriched('small', key_variable='MY_KEY', "))
    bad = "<script>alert(1)</script>"
    # A server that sends back all that it was sent.
    chat_server.reply = lambda call: json.dumps({"title": f"{bad} {call.key}", "summary": bad * 40_000, "key": bad})
    said = [call("run", trial, "--output", "record"), call("verify", "record"), call("ledger")]
    said.append(call("report", "record", "--output", "pages"))
    said += [call("export", "record", "--to", form, "--output", f"as {form}") for form in ("csv", "json", "markdown")]
    arm = f"headers + enriched('other', url='{chat_server.url}', key_variable='MY_KEY')"
    said.append(call("chunk", "docs", "--arm", arm, "--output", "chunks.jsonl"))
    assert [done.code for done in said] == [0] * 8
    assert {request.key for request in chat_server.calls} == {f"Bearer {key}"}
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert pump.is_relative_to(tmp_path)
    assert len(files) > 20
    assert [path for path in files if key.encode() in path.read_bytes()] == []
    assert key not in "".join(done.out + done.err for done in said)
    assert [path for path in (pump / "pages").rglob("*") if path.is_file() and bad.encode() in path.read_bytes()] == []


def test_a_changed_byte_of_a_prompt_is_refused_under_a_plan(trial, call, chat_server, pump):
    prompt = pump / "mine.toml"
    prompt.write_text('version = 1\nuser = "Describe {{chunk}}."\n')
    trial.write_text(trial.read_text().replace("enriched('small', ", "enriched('small', prompt='mine.toml', "))
    assert call("freeze", trial).code == 0
    prompt.write_text('version = 1\nuser = "Describe {{chunk}}!"\n')
    done = call("run", trial, "--output", "record")
    assert done.code == 3
    assert "in 3 places, so nothing was built:" in done.err
    assert "  parameters.arms.control.steps.0.prompt.sha256: its content has changed\n" in done.err
    assert chat_server.calls == []
    prompt.write_text('# Words beside the prompt change nothing.\nversion = 1\nuser = "Describe {{chunk}}."\n')
    assert call("run", trial, "--output", "record").code == 0


def test_expansion_under_arms_without_keys_is_refused_before_anything_is_paid(trial, call, chat_server):
    trial.write_text(trial.read_text().replace('near = ["paid", "merged", "control"]\n', ""))
    done = call("run", trial, "--output", "record")
    assert done.code == 2
    assert "retrievers.near: expand follows generated keys, and plain have none." in done.err
    assert '[only] near = ["paid", "merged", "control"]' in done.err
    assert chat_server.calls == []
