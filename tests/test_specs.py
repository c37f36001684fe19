"""The grammar of expressions: what is written comes back, and what is wrong is named."""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field

from ragtrial.errors import SpecError
from ragtrial.specs import Call, Component, Registry, parse_call, parse_chain, parse_difference


@dataclass(frozen=True)
class Cut(Component):
    """A made-up component with every kind of parameter."""

    spec_name: ClassVar[str] = "cut"
    positional: ClassVar[int] = 2

    size: Annotated[int, Field(ge=1)]
    share: float = 0.5
    name: str = "a"
    mode: Literal["x", "y"] = "x"
    flag: bool = False
    levels: tuple[int, ...] = (1, 2)
    maybe: int | None = None
    of: Component | None = None


@dataclass(frozen=True)
class Plain(Component):
    """A made-up component without parameters."""

    spec_name: ClassVar[str] = "plain"


KNOWN = Registry("part", {"cut": f"{__name__}:Cut", "plain": f"{__name__}:Plain"})


finite = st.floats(allow_nan=False, allow_infinity=False)
cuts = st.deferred(
    lambda: st.builds(
        Cut,
        size=st.integers(1, 10**9),
        share=finite,
        name=st.text(),
        mode=st.sampled_from(["x", "y"]),
        flag=st.booleans(),
        levels=st.lists(st.integers(), max_size=3).map(tuple),
        maybe=st.none() | st.integers(),
        of=st.none() | st.builds(Plain) | cuts,
    )
)


@given(cuts)
def test_a_component_reads_back_from_its_spelling(component: Cut) -> None:
    assert KNOWN.build(parse_call(str(component))) == component


@given(st.lists(cuts | st.builds(Plain), min_size=1, max_size=4))
def test_a_chain_reads_back_from_its_spelling(components: list[Component]) -> None:
    chain = sum(components[1:], components[0] + components[0])
    assert tuple(KNOWN.build(call) for call in parse_chain(str(chain))) == (components[0], *components)


def refusal(parse, text: str) -> str | None:
    try:
        parse(text)
    except SpecError as error:
        return str(error)
    return None


@given(st.text(max_size=40))
def test_any_text_is_read_or_refused_with_a_sentence(text: str) -> None:
    for parse in (parse_call, parse_chain, parse_difference):
        sentence = refusal(parse, text)
        assert sentence is None or len(sentence) > 20


def test_defaults_are_not_printed_and_leading_ones_have_no_name() -> None:
    assert str(Cut(5)) == "cut(5)"
    assert str(Cut(5, 0.25)) == "cut(5, 0.25)"
    assert str(Cut(5, name="b", of=Plain())) == "cut(5, name='b', of=plain)"
    assert str(Cut(5, levels=(1, 2, 3))) == "cut(5, levels=[1, 2, 3])"
    assert str(Plain()) == "plain"


def test_parameters_are_complete() -> None:
    assert Cut(5, of=Plain()).parameters() == {
        "component": "cut",
        "name": "a",
        "size": 5,
        "share": 0.5,
        "mode": "x",
        "flag": False,
        "levels": [1, 2],
        "maybe": None,
        "of": {"component": "plain"},
    }


def test_calls_keep_what_was_written() -> None:
    assert parse_call("f(1, 'b', x=[2, None], y=g(-3.5))") == Call(
        "f", (1, "b"), (("x", (2, None)), ("y", Call("g", (-3.5,))))
    )
    assert str(parse_call("f( 1 ,x = 'q')")) == "f(1, x='q')"


def test_a_difference_has_two_names() -> None:
    assert parse_difference("headers - fixed") == ("headers", "fixed")
    assert parse_difference("'my arm' - other") == ("my arm", "other")
    for wrong in ("headers", "a + b", "a - b - c", "f(1) - g", ""):
        with pytest.raises(SpecError, match=r"A - B|Cannot read"):
            parse_difference(wrong)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ct(5)", "no part called 'ct'. Did you mean 'cut'"),
        ("cut(5, shar=1.0)", "no parameter 'shar'. Did you mean 'share'"),
        ("cut", "cut needs size"),
        ("cut(0)", "size: Input should be greater than or equal to 1"),
        ("cut('5')", "size: Input should be a valid integer"),
        ("cut(5, mode='z')", "mode: Input should be 'x' or 'y'"),
        ("cut(5, size=6)", "cut got 'size' twice"),
        ("plain(1)", "plain takes at most 0 arguments"),
        ("cut(5, of=lambda: 1)", "cannot be an argument"),
        ("cut(b'5')", "cannot be an argument"),
        ("cut(**x)", "'\\*\\*' has no meaning"),
        ("__import__('os').system('ls')", "Cannot read"),
        ("cut(5", "Cannot read the expression"),
        ("", "Cannot read the expression"),
    ],
)
def test_what_is_wrong_is_named(text: str, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        KNOWN.build(parse_call(text))
