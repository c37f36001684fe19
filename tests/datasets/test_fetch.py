import gzip
import hashlib
import io
import json
import tarfile

import pytest

from ragtrial.datasets import fetch as module
from ragtrial.datasets.fetch import fetch
from ragtrial.datasets.official import OFFICIAL, Archive, Official, Repository
from ragtrial.errors import DataError, UsageError

CONTENT = {"a.json": b"{}", "b.json": b"[]"}


def sha(data):
    return hashlib.sha256(data).hexdigest()


def packed(**files):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        for name, data in files.items():
            info = tarfile.TarInfo(f"inner/{name.replace('_', '.')}")
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return out.getvalue()


@pytest.fixture
def official(monkeypatch):
    archive = Archive("https://example.org/x.tgz", {name: sha(data) for name, data in CONTENT.items()})
    repository = Repository(
        "https://example.org/api/laravel", "https://example.org/get", "laravel", "test-", "queries-"
    )
    monkeypatch.setitem(OFFICIAL, "made", Official((archive,), (), "free", "somebody", ""))
    monkeypatch.setitem(OFFICIAL, "hub", Official((), (repository,), "free", "somebody", "Now the docs."))


class Web:
    def __init__(self, **pages):
        self.pages = pages
        self.asked = []

    def __call__(self, url):
        self.asked.append(url)
        name = url.rpartition("/")[2]
        if name not in self.pages:
            raise OSError("no route")
        return io.BytesIO(self.pages[name])


def test_an_archive_is_unpacked_checked_and_kept(official, tmp_path):
    web = Web(**{"x.tgz": packed(a_json=b"{}", b_json=b"[]", c_json=b"more")})
    done = list(fetch("made", tmp_path / "to", opener=web))
    assert {file.path.name: file.path.read_bytes() for file in done} == CONTENT
    assert {file.checked for file in done} == {"pinned"}
    assert sorted(path.name for path in (tmp_path / "to").iterdir()) == ["a.json", "b.json"]
    assert list(fetch("made", tmp_path / "to", opener=web)) == done
    assert len(web.asked) == 1, "what is there is not fetched again"


def test_another_content_is_refused_and_not_kept(official, tmp_path):
    web = Web(**{"x.tgz": packed(a_json=b"{}", b_json=b"evil")})
    with pytest.raises(DataError, match=r"b\.json of .* has the sha256"):
        list(fetch("made", tmp_path, opener=web))
    assert not (tmp_path / "b.json").exists()
    with pytest.raises(DataError, match=r"does not hold b\.json"):
        list(fetch("made", tmp_path, opener=Web(**{"x.tgz": packed(a_json=b"{}")})))
    with pytest.raises(DataError, match="no readable archive"):
        list(fetch("made", tmp_path, opener=Web(**{"x.tgz": b"x"})))


def test_without_a_network_the_way_out_is_told(official, tmp_path):
    with pytest.raises(DataError, match=r"Cannot fetch https://example.org/x.tgz: no route\.") as caught:
        list(fetch("made", tmp_path, opener=Web()))
    assert "--from" in caught.value.hint


@pytest.mark.parametrize("form", ["archive", "plain", "gz"])
def test_files_at_hand(official, tmp_path, form):
    if form == "archive":
        files = [tmp_path / "x.tgz"]
        files[0].write_bytes(packed(a_json=b"{}", b_json=b"[]"))
    else:
        end = ".gz" if form == "gz" else ""
        files = [tmp_path / f"{name}{end}" for name in CONTENT]
        for file, data in zip(files, CONTENT.values(), strict=True):
            file.write_bytes(gzip.compress(data) if end else data)
    done = list(fetch("made", tmp_path / "to", files=tuple(files), opener=Web()))
    assert {file.path.name: file.path.read_bytes() for file in done} == CONTENT


def test_files_that_are_not_official(official, tmp_path):
    (tmp_path / "z.json").write_bytes(b"")
    with pytest.raises(DataError, match="is no official file") as caught:
        list(fetch("made", tmp_path / "to", files=(tmp_path / "z.json",)))
    assert "x.tgz, a.json, b.json" in caught.value.hint
    (tmp_path / "a.json").write_bytes(b"evil")
    with pytest.raises(DataError, match="has the sha256"):
        list(fetch("made", tmp_path / "to", files=(tmp_path / "a.json",)))
    with pytest.raises(DataError, match="There is no file"):
        list(fetch("made", tmp_path / "to", files=(tmp_path / "none",)))
    (tmp_path / "a.json.gz").write_bytes(b"damaged")
    with pytest.raises(DataError, match="damaged gzip"):
        list(fetch("made", tmp_path / "to", files=(tmp_path / "a.json.gz",)))


def test_a_repository_publishes_its_hashes(official, tmp_path):
    listing = [
        {"path": "laravel/test-00000-of-00001.parquet", "lfs": {"oid": sha(b"rows")}},
        {"path": "laravel/README.md"},
        {"path": "laravel/train-0.parquet", "lfs": {"oid": "x"}},
    ]
    web = Web(laravel=json.dumps(listing).encode(), **{"test-00000-of-00001.parquet": b"rows"})
    (done,) = fetch("hub", tmp_path, opener=web)
    assert done.path == tmp_path / "laravel" / "queries-00000-of-00001.parquet"
    assert (done.path.read_bytes(), done.checked) == (b"rows", "listing")
    assert list(fetch("hub", tmp_path, opener=web)) == [done]
    web.pages["test-00000-of-00001.parquet"] = b"evil"
    with pytest.raises(DataError, match="has the sha256"):
        list(fetch("hub", tmp_path / "again", opener=web))
    for page in (b"x", b"{}", b"[]", b'[{"lfs": {}}]'):
        with pytest.raises(DataError, match=r"no listing of files|no file that begins"):
            list(fetch("hub", tmp_path, opener=Web(laravel=page)))


def test_a_repositorys_file_at_hand_is_compared_with_nothing_and_says_so(official, tmp_path):
    (tmp_path / "laravel").mkdir()
    (tmp_path / "laravel" / "test-0.parquet").write_bytes(b"rows")
    (done,) = fetch("hub", tmp_path / "to", files=(tmp_path / "laravel" / "test-0.parquet",))
    assert (done.path, done.checked) == (tmp_path / "to" / "laravel" / "queries-0.parquet", "")


def test_only_https_is_opened():
    with pytest.raises(DataError, match="not an address of HTTPS"):
        module._open("file:///etc/passwd")


def test_names_are_checked(tmp_path):
    with pytest.raises(UsageError, match="Did you mean 'qasper'"):
        list(fetch("qaspr", tmp_path))


def test_the_pinned_hashes_are_those_of_the_files_at_hand(shared, tmp_path):
    files = tuple(shared(f"data/qasper/qasper-{split}-v0.3.json.gz") for split in ("dev", "test", "train"))
    done = list(fetch("qasper", tmp_path, files=files))
    assert [file.path.name for file in done] == [file.name.removesuffix(".gz") for file in files]
