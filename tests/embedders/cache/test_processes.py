"""Two processes may use the cache at once, and one may be killed at any moment: no vector is lost and none is torn."""

import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ragtrial.embedders.cache.keys import vector_keys
from ragtrial.embedders.cache.store import VectorCache, open_cache
from ragtrial.embedders.cache.upkeep import prune

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="uses signals and limits of POSIX")

SIZE = 384
# Every vector is made of its number, so that a reader can tell a torn one.
COMMON = f"""
import sys
from pathlib import Path
import numpy as np
from ragtrial.storage import database
from ragtrial.embedders.cache.keys import vector_keys
from ragtrial.embedders.cache.store import open_cache
MODEL = {{"model": "m"}}
def keys(numbers): return vector_keys(MODEL, "document", "", [str(number) for number in numbers])
def vectors(numbers): return np.array([np.arange({SIZE}) + number for number in numbers], dtype=np.float32)
database._FIRST_MAP = 2**20  # so that the file has to grow under both
cache = open_cache(Path(sys.argv[1]))
def put(numbers): cache.put(MODEL, keys(numbers), vectors(numbers), [1] * len(numbers))
"""


def start(code: str, folder: Path, *arguments: str) -> subprocess.Popen:
    command = [sys.executable, "-c", COMMON + code, str(folder), *arguments]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True)


def finish(process: subprocess.Popen) -> str:
    out, err = process.communicate("go on\n", timeout=60)
    assert process.returncode == 0, err
    return out


def there(folder: Path, numbers: range) -> list[int]:
    """Return which numbers the cache holds, after checking that all of them are whole."""
    cache = VectorCache(folder)
    found = cache.get(vector_keys({"model": "m"}, "document", "", [str(number) for number in numbers]), SIZE)
    held = np.flatnonzero(found.there)
    assert (found.vectors[held] == np.arange(SIZE) + (held + numbers.start)[:, np.newaxis]).all()
    assert (found.fits[held] == 1).all()
    cache.database.close()
    return (held + numbers.start).tolist()


def test_two_processes_fill_one_cache(own_cache: Path):
    code = "for number in range(int(sys.argv[2]), 3000, 60): put(range(number, number + 60))"
    first, second = start(code, own_cache, "0"), start(code, own_cache, "30")
    finish(first), finish(second)
    assert there(own_cache, range(3_060)) == list(range(3_030))


def test_a_killed_process_loses_nothing_that_was_acknowledged(own_cache: Path):
    code = """
number = int(sys.argv[2])
while True:
    put(range(number, number + 50))
    number += 50
    print(number, flush=True)
"""
    done = 0
    for acknowledged in (3, 8, 1):
        process = start(code, own_cache, str(done))
        for _ in range(acknowledged):
            done = int(process.stdout.readline())
        process.send_signal(signal.SIGKILL)
        rest = process.stdout.read()
        process.communicate(timeout=60)
        done = max([done, *map(int, rest.split())])
        held = there(own_cache, range(20_000))
        assert held[:done] == list(range(done))
        assert len(held) in (done, done + 50)  # the last one may have been written and not told


def test_a_killed_writer_blocks_nobody(own_cache: Path):
    killed = start("cache.database.write(lambda txn: (print('in', flush=True), sys.stdin.readline()))", own_cache)
    assert killed.stdout.readline() == "in\n"
    killed.send_signal(signal.SIGKILL)
    killed.communicate(timeout=60)
    finish(start("put(range(10))", own_cache))
    assert there(own_cache, range(20)) == list(range(10))


def test_a_full_disk_is_a_sentence_and_leaves_whole_vectors(own_cache: Path):
    code = """
import resource
put(range(100))
resource.setrlimit(resource.RLIMIT_FSIZE, (2**20, 2**20))
try:
    put(range(100, 3000))
except Exception as error:
    print(type(error).__name__, error)
put(range(100, 110))
"""
    out = finish(start(code, own_cache))
    assert out.startswith(f"DataError Cannot write to the cache {own_cache}/vectors: ")
    assert "Free some space" in out
    assert "Nothing that was stored before is lost" in out
    assert there(own_cache, range(3_000)) == list(range(110))


@pytest.mark.skipif(sys.platform != "linux", reason="needs a limit on addresses")
def test_a_map_that_cannot_grow_is_a_sentence_and_leaves_whole_vectors(own_cache: Path):
    code = """
import resource
put(range(100))
used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 48 * 2**20, used + 48 * 2**20))
try:
    for number in range(100, 60_000, 100):
        put(range(number, number + 100))
except Exception as error:
    print(number, type(error).__name__, error)
"""
    out = finish(start(code, own_cache))
    stored, _, sentence = out.partition(" ")
    assert sentence.startswith("DataError Cannot write to the cache")
    assert "it cannot grow any more" in sentence
    assert there(own_cache, range(60_000)) == list(range(int(stored)))


def test_pruning_does_not_take_the_file_from_under_another_process(own_cache: Path):
    other = start(
        "put(range(2000)); print('open', flush=True); sys.stdin.readline(); put(range(2000, 2100))", own_cache
    )
    assert other.stdout.readline() == "open\n"
    cache = open_cache(own_cache)
    pruned = prune(cache, lambda model: True)
    assert not pruned.shrunk
    assert pruned.bytes_after >= pruned.bytes_before
    cache.database.close()
    finish(other)
    assert there(own_cache, range(2_100)) == list(range(2_000, 2_100))
    alone = VectorCache(own_cache)
    assert prune(alone, lambda model: False).shrunk
    assert alone.database.file_bytes() < 1_000_000
    alone.database.close()
    assert there(own_cache, range(2_100)) == list(range(2_000, 2_100))


def test_a_forked_child_goes_on_with_the_cache_of_its_parent(own_cache: Path):
    code = """
import os
put(range(10))
child = os.fork()
put(range(10, 20) if child else range(20, 30))
if not child:
    os._exit(0 if cache.get(keys(range(10)), 384).there.all() else 1)
assert os.waitpid(child, 0)[1] == 0
put(range(30, 40))
"""
    finish(start(code, own_cache))
    assert there(own_cache, range(50)) == list(range(40))
