import pytest

from ragtrial.documents.patterns import compile_patterns
from ragtrial.errors import UsageError

CASES = [
    ("*.md", "a.md", True),
    ("*.md", "x/y/a.md", True),
    ("*.md", "a.mdx", False),
    ("guide/**", "guide/a.md", True),
    ("guide/**", "guide/x/a.md", True),
    ("guide/**", "other/guide/a.md", False),
    ("guide/**", "guide", False),
    ("guide", "guide/x/a.md", True),
    ("guide", "x/guide/a.md", True),
    ("guide/", "x/guide/a.md", True),
    ("guide/", "x/guide", False),
    ("/guide", "x/guide/a.md", False),
    ("./guide/*.md", "guide/a.md", True),
    ("guide/*.md", "guide/x/a.md", False),
    ("**/api/*.md", "api/a.md", True),
    ("**/api/*.md", "x/y/api/a.md", True),
    ("a/**/b.md", "a/b.md", True),
    ("a/**/b.md", "a/x/y/b.md", True),
    ("?.md", "a.md", True),
    ("?.md", "ab.md", False),
    ("[a-c].md", "b.md", True),
    ("[!a-c].md", "b.md", False),
    ("[]x].md", "].md", True),
    ("[].md", "[].md", True),
    (r"\*.md", "*.md", True),
    (r"\*.md", "a.md", False),
    ("a.md", "axmd", False),
    ("*.MD", "a.md", False),
    ("ä*/**", "äpfel/日本.md", True),
]


@pytest.mark.parametrize(("pattern", "path", "matches"), CASES)
def test_patterns_match_as_in_gitignore(pattern, path, matches):
    assert bool(compile_patterns([pattern], hidden=True).fullmatch(path)) is matches


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        ("**", "a/b.md", True),
        ("**", ".github/a.md", False),
        ("*.md", ".github/a.md", False),
        ("*.md", ".a.md", False),
        (".github/**", ".github/a.md", True),
        (".github/**", ".github/.x/a.md", False),
        ("docs", "docs/.x/a.md", False),
        ("[.]x.md", ".x.md", False),
        (".*", ".x.md", True),
    ],
)
def test_a_leading_dot_must_be_written_out_where_hidden_names_are_left_out(pattern, path, matches):
    assert bool(compile_patterns([pattern], hidden=False).fullmatch(path)) is matches


def test_no_pattern_matches_nothing_and_several_are_alternatives():
    assert not compile_patterns([], hidden=True).fullmatch("")
    both = compile_patterns(["*.md", "x/"], hidden=True)
    assert both.fullmatch("a.md")
    assert both.fullmatch("x/a.txt")
    assert not both.fullmatch("a.txt")


@pytest.mark.parametrize("pattern", ["", "/", "[z-a].md"])
def test_a_pattern_that_cannot_be_read_is_a_usage_error(pattern):
    with pytest.raises(UsageError, match="pattern"):
        compile_patterns([pattern], hidden=True)
