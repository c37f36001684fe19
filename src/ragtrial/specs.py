"""One-line expressions for arms, retrievers and measures, and the components they name.

``"headers(max=1000) + path"`` becomes a tuple of `Call`; a `Registry` turns a
call into a `Component`; ``str(component)`` is the shortest expression that
gives the same component again. The grammar is Python's own expression grammar,
cut down to names, calls, literals and ``+`` or ``-`` between them, so nothing is
ever executed.
"""

from __future__ import annotations

import ast
import functools
import importlib
import typing
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, Field, dataclass, fields
from typing import Any, ClassVar, TypeAlias

from ragtrial.errors import SpecError, did_you_mean

__all__ = ["Call", "Chain", "Component", "Registry", "parse_call", "parse_chain", "parse_difference"]

Value: TypeAlias = "str | int | float | bool | tuple[Value, ...] | Call | Component | None"
"""What may stand as an argument: a literal, a tuple of them, or another component."""


@dataclass(frozen=True)
class Call:
    """A name with its arguments as they were written: ``tokens(256, overlap=32)``."""

    name: str
    arguments: tuple[Value, ...] = ()
    keywords: tuple[tuple[str, Value], ...] = ()

    def __str__(self) -> str:
        return _spell(self.name, self.arguments, self.keywords)


@dataclass(frozen=True)
class Component:
    """Base of everything that an expression can name: chunkers, prefixes, retrievers.

    A subclass is a frozen dataclass whose fields are its parameters, with

    - ``spec_name``: its name in expressions,
    - ``positional``: how many leading fields are printed without their name,
    - ``rest``: the field, if any, that takes the keywords which name no field, as pairs.

    Field annotations are enforced when an object is made (``Literal`` for closed
    sets, ``Annotated[int, pydantic.Field(ge=1)]`` for bounds); lists become tuples.
    """

    spec_name: ClassVar[str]
    positional: ClassVar[int] = 1
    rest: ClassVar[str | None] = None

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, list):
                object.__setattr__(self, field.name, tuple(value))
        _check(self)

    def __str__(self) -> str:
        arguments: list[Value] = []
        keywords: list[tuple[str, Value]] = []
        leading = True
        for number, field in enumerate(fields(self)):
            value = getattr(self, field.name)
            default = field.default_factory() if field.default_factory is not MISSING else field.default
            changed = not _same(value, default)
            if field.name == self.rest:
                keywords += value
            elif changed and leading and number < self.positional:
                arguments.append(value)
            elif changed:
                keywords.append((field.name, value))
            leading = leading and changed
        return _spell(self.spec_name, tuple(arguments), tuple(keywords))

    def parameters(self) -> dict[str, Any]:
        """Return every effective parameter, defaults filled in, as JSON-ready values, beside its spec name."""
        return {"component": self.spec_name} | {field.name: _plain(getattr(self, field.name)) for field in fields(self)}

    to_dict = parameters

    def __add__(self, other: Component | Chain) -> Chain:
        return Chain((self,)) + other


@dataclass(frozen=True)
class Chain:
    """Components joined by ``+``, in the order in which they apply."""

    components: tuple[Component, ...]

    def __str__(self) -> str:
        return " + ".join(str(component) for component in self.components)

    def __iter__(self) -> Iterator[Component]:
        return iter(self.components)

    def __add__(self, other: Component | Chain) -> Chain:
        return Chain(self.components + (other.components if isinstance(other, Chain) else (other,)))


class Registry:
    """The known components of one kind, by spec name, each imported when it is first asked for."""

    def __init__(self, kind: str, places: Mapping[str, str]) -> None:
        """``kind`` is the word for error messages; ``places`` maps a spec name to ``"module:Class"``."""
        self.kind = kind
        self._places = dict(places)

    def __or__(self, other: Registry) -> Registry:
        """Return a registry of the components of both, under the word of this one."""
        return Registry(self.kind, self._places | other._places)

    def names(self) -> tuple[str, ...]:
        """Return all spec names, sorted."""
        return tuple(sorted(self._places))

    def __contains__(self, name: object) -> bool:
        return name in self._places

    def load(self, name: str) -> type[Component]:
        """Import and return the class behind a spec name; an unknown name raises `SpecError`."""
        if name not in self._places:
            raise SpecError(f"There is no {self.kind} called {name!r}.", hint=did_you_mean(name, self._places))
        module, _, attribute = self._places[name].partition(":")
        loaded: type[Component] = getattr(importlib.import_module(module), attribute)
        return loaded

    def build(self, call: Call, resolve: Callable[[Call], Component] | None = None) -> Component:
        """Make the component that a call describes.

        ``resolve`` turns calls among the arguments into components (``rrf(bm25, dense)``);
        without it they are built from this registry.
        """
        cls = self.load(call.name)
        inner = resolve or self.build
        names = [field.name for field in fields(cls) if field.name != cls.rest]
        if len(call.arguments) > len(names):
            raise SpecError(
                f"{call.name} takes at most {len(names)} arguments ({', '.join(names)}), {len(call.arguments)} given."
            )
        values = dict(zip(names, (_resolved(value, inner) for value in call.arguments), strict=False))
        rest: dict[str, Value] = {}
        for key, value in call.keywords:
            if key not in names and cls.rest is None:
                raise SpecError(f"{call.name} has no parameter {key!r}.", hint=did_you_mean(key, names))
            if key in values or key in rest:
                raise SpecError(f"{call.name} got {key!r} twice.")
            (values if key in names else rest)[key] = _resolved(value, inner)
        if cls.rest is not None:
            values[cls.rest] = tuple(rest.items())
        required = {
            field.name for field in fields(cls) if field.default is MISSING and field.default_factory is MISSING
        }
        missing = [name for name in names if name in required - values.keys()]
        if missing:
            raise SpecError(f"{call.name} needs {', '.join(missing)}.", hint=f"Write for example {call.name}(512).")
        return cls(**values)


def parse_chain(text: str) -> tuple[Call, ...]:
    """Parse ``"headers + path"`` into its calls; anything else than names, calls and ``+`` raises `SpecError`."""
    node = _parse(text)
    parts: list[ast.expr] = []
    while isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        parts.append(node.right)
        node = node.left
    parts.append(node)
    return tuple(_call(part, text) for part in reversed(parts))


def parse_call(text: str) -> Call:
    """Parse one component, such as ``"bm25(variant='lucene')"``."""
    return _call(_parse(text), text)


def parse_difference(text: str) -> tuple[str, str]:
    """Parse ``"headers - fixed"`` into the two names; names with other characters are written as strings."""
    node = _parse(text)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub):
        left, right = _name(node.left), _name(node.right)
        if left is not None and right is not None:
            return left, right
    raise SpecError(f"A contrast is written 'A - B' with two names, not {text!r}.")


def _name(node: ast.expr) -> str | None:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    return None


def _parse(text: str) -> ast.expr:
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        reason = error.msg if isinstance(error, SyntaxError) else str(error)
        raise SpecError(f"Cannot read the expression {text!r}: {reason}.") from error


def _call(node: ast.expr, text: str) -> Call:
    if isinstance(node, ast.Name):
        return Call(node.id)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        arguments = tuple(_value(argument, text) for argument in node.args)
        keywords = []
        for keyword in node.keywords:
            if keyword.arg is None:
                raise SpecError(f"'**' has no meaning in the expression {text!r}.")
            keywords.append((keyword.arg, _value(keyword.value, text)))
        return Call(node.func.id, arguments, tuple(keywords))
    raise SpecError(
        f"Cannot read {ast.unparse(node)!r} in the expression {text!r}.",
        hint="An expression is made of names, calls such as tokens(256, overlap=32), and '+'.",
    )


def _value(node: ast.expr, text: str) -> Value:
    if isinstance(node, (ast.Name, ast.Call)):
        return _call(node, text)
    if isinstance(node, (ast.List, ast.Tuple)):
        return tuple(_value(item, text) for item in node.elts)
    try:
        literal: Value = ast.literal_eval(node)
    except ValueError:
        literal = b""  # type: ignore[assignment]  # refused below together with other strange literals
    if literal is None or isinstance(literal, (str, int, float)):
        return literal
    raise SpecError(
        f"{ast.unparse(node)!r} cannot be an argument in {text!r}.", hint="Use a number, a string or a list."
    )


def _resolved(value: Value, resolve: Callable[[Call], Component]) -> Value:
    if isinstance(value, Call):
        return resolve(value)
    if isinstance(value, tuple):
        return tuple(_resolved(item, resolve) for item in value)
    return value


def _spell(name: str, arguments: tuple[Value, ...], keywords: tuple[tuple[str, Value], ...]) -> str:
    parts = [_spell_value(value) for value in arguments]
    parts += [f"{key}={_spell_value(value)}" for key, value in keywords]
    return f"{name}({', '.join(parts)})" if parts else name


def _spell_value(value: Value) -> str:
    if isinstance(value, (Call, Component)):
        return str(value)
    if isinstance(value, tuple):
        return f"[{', '.join(_spell_value(item) for item in value)}]"
    return repr(value)


def _required(field: Field[Any]) -> bool:
    return field.default is MISSING and field.default_factory is MISSING


def _same(value: object, default: object) -> bool:
    # 1 == 1.0 == True in Python, but they are different parameters.
    return type(value) is type(default) and value == default


def _plain(value: object) -> object:
    if isinstance(value, Component):
        return value.parameters()
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return value


def _check(component: Component) -> None:
    from pydantic import ValidationError

    values = {field.name: getattr(component, field.name) for field in fields(component)}
    try:
        _schema(type(component)).model_validate(values)  # type: ignore[arg-type]  # a class is hashable
    except ValidationError as error:
        # Below the parameter's name pydantic tells which of several types it tried: nobody wrote those.
        faults: dict[str, list[str]] = {}
        for fault in error.errors():
            faults.setdefault(str(fault["loc"][0]), []).append(fault["msg"])
        listed = "; ".join(f"{name}: {', or '.join(messages)}" for name, messages in faults.items())
        raise SpecError(f"{component.spec_name} cannot be built: {listed}.") from None


@functools.cache
def _schema(cls: type[Component]) -> Any:  # a model class that pydantic makes
    from pydantic import ConfigDict, create_model

    hints = typing.get_type_hints(cls, include_extras=True)
    columns: dict[str, Any] = {field.name: (hints[field.name], ...) for field in fields(cls)}
    config = ConfigDict(strict=True, arbitrary_types_allowed=True, protected_namespaces=())
    return create_model(cls.__name__, __config__=config, **columns)
