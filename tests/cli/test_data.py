def test_fetching_from_files_prints_licence_paths_and_hashes(call, tmp_path, shared):
    file = shared("data/qasper/qasper-dev-v0.3.json.gz")
    done = call("data", "fetch", "qasper", "--to", tmp_path, "--from", file)
    assert done.code == 0
    assert done.out.split() == [str(tmp_path / "qasper-dev-v0.3.json")]
    assert "Licence: CC BY 4.0." in done.err
    assert "as pinned here" in done.err


def test_faults_are_sentences(call, tmp_path):
    done = call("data", "fetch", "qaspr", "--to", tmp_path)
    assert done.code == 2
    assert "Did you mean 'qasper'?" in done.err
    done = call("data", "fetch", "qasper", "--to", tmp_path, "--from", tmp_path / "none.tgz")
    assert done.code == 1
    assert "There is no file" in done.err
