"""A trial as its owner writes it: in TOML, or as the same keys in Python."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PrivateAttr, ValidationError

from ragtrial.documents.formats import checked_read_as
from ragtrial.errors import ConfigError, SpecError, did_you_mean
from ragtrial.measures.names import Measure, parse_measure
from ragtrial.retrievers.base import Retriever
from ragtrial.specs import parse_difference
from ragtrial.statistics.verdict import Demand, Tier
from ragtrial.trial.answers.faults import answer_faults
from ragtrial.trial.answers.settings import AnswerSettings
from ragtrial.trial.arms import Arm
from ragtrial.trial.cells import Cell, cells_of, expand_faults, late_faults, left_out_faults
from ragtrial.trial.check import Fault, cross_faults
from ragtrial.trial.lines import KeyLines
from ragtrial.trial.named import build_retrievers
from ragtrial.trial.weights import tuning_faults

__all__ = ["Contrast", "DatasetSource", "Family", "Ladder", "Trial"]

BUDGETS = (128, 256, 512, 1024, 2048, 4096)
"""Token budgets of the curve that every report shows: verdicts can change sign with the budget."""

DEFAULT_MEASURES = (
    *(f"recall@{budget}t" for budget in BUDGETS),
    *(f"precision@{budget}t" for budget in BUDGETS),
    "hit@1",
    "hit@5",
    "recall@5",
    "mrr@10",
)


def _built(build: Callable[[Any], Any]) -> BeforeValidator:
    def validate(value: object) -> object:
        try:
            return build(value)
        except SpecError as error:
            raise ValueError(str(error)) from error

    return BeforeValidator(validate)


def _measure_name(value: object) -> object:
    return parse_measure(value).name if isinstance(value, str) else value


def _read_as(value: object) -> object:
    named = isinstance(value, Mapping) and all(isinstance(word, str) for word in (*value, *value.values()))
    return checked_read_as(value) if named else value  # type: ignore[arg-type]  # pydantic refuses the rest


def _arm(value: object) -> Arm:
    return value if isinstance(value, Arm) else Arm.of(value)  # type: ignore[arg-type]  # Arm.of refuses the rest


MeasureName = Annotated[str, _built(_measure_name)]
"""A measure in its own spelling."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True, strict=True)


class DatasetSource(_Strict):
    """A data set that a reader of `ragtrial.datasets` knows."""

    reader: str
    path: str | None = None
    protocol: str | None = None
    select: str | None = None
    questions: str | None = None
    dialect: Literal["commonmark", "study"] | None = None


class Contrast(_Strict):
    """A comparison ``A - B`` of two arms under one retriever and one measure.

    ``retriever`` and ``measure`` default to the trial's primary ones, ``tier`` to "secondary".
    Contrasts with the same ``family`` are Holm-adjusted together; a confirmatory contrast
    needs one. Tiers count only under a frozen plan: without one every row is exploratory. ``against`` is the
    retriever of B where it is another than that of A, as in a comparison of retrievers on one arm.
    """

    name: str
    of: str
    test: Literal["difference", "equivalence", "non-inferiority"] = "difference"
    margin: Annotated[float, Field(gt=0)] | None = None
    family: str | None = None
    tier: Tier = "secondary"
    retriever: str | None = None
    against: str | None = None
    measure: MeasureName | None = None

    @cached_property
    def arms(self) -> tuple[str, str]:
        """The names of A and B."""
        return parse_difference(self.of)


class Ladder(_Strict):
    """A dose-response: arms in the order of their dose, which is 0, 1, 2 ... unless ``doses`` says otherwise."""

    name: str
    arms: Annotated[list[str], Field(min_length=2)]
    doses: list[float] | None = None
    retriever: str | None = None
    measure: MeasureName | None = None


class HeldOutShare(_Strict):
    """The questions that ``weight='tuned'`` is tuned on: those of a random share of the clusters, never scored."""

    share: Annotated[float, Field(gt=0, lt=1)] = 0.2
    seed: Annotated[int, Field(ge=0)] = 0


class Family(_Strict):
    """What a family of contrasts demands beside its Holm adjustment.

    With ``demands`` the word "different" also needs this p-value, Holm-adjusted, below 0.05.
    """

    demands: Demand | None = None


class Trial(_Strict):
    """Everything that defines a trial; the keys are those of ``trial.toml``.

    ``margin`` is in points of the measure (one point is 0.01). Paths are relative to the
    trial file, or else to the current folder. ``only`` keeps a retriever to the arms that it names. ``averages`` gives
    names to arms that contrasts take together, question by question, such as one arm under several seeds.
    ``mixed_model`` adds the mixed model of each contrast, a secondary check.
    """

    title: str = ""
    documents: str | list[str] | None = None
    include: list[str] = []
    exclude: list[str] = []
    dialect: Literal["commonmark", "study"] = "commonmark"
    encoding: str | None = None
    read_as: Annotated[dict[str, str], _built(_read_as)] = {}
    questions: str | None = None
    dataset: DatasetSource | None = None
    pool: Literal["document", "group", "corpus"] | None = None
    words: Literal["study", "unicode"] | None = None
    primary: MeasureName = "recall@512t"
    measures: list[MeasureName] = list(DEFAULT_MEASURES)
    retriever: str | None = None
    arms: dict[str, Annotated[Arm, _built(_arm)]]
    retrievers: dict[str, Retriever]
    averages: dict[str, Annotated[list[str], Field(min_length=2)]] = {}
    contrasts: list[Contrast] = []
    families: dict[str, Family] = {}
    ladders: list[Ladder] = []
    answers: AnswerSettings | None = None
    held_out: HeldOutShare | None = None
    only: dict[str, Annotated[list[str], Field(min_length=1)]] = {}
    interval: Literal["bca", "percentile"] = "bca"
    mixed_model: bool = False
    resamples: Annotated[int, Field(ge=100)] = 10_000
    seed: Annotated[int, Field(ge=0)] = 0
    keep: Annotated[int, Field(ge=1)] = 100

    _folder: Path = PrivateAttr(default_factory=Path)
    _file: Path | None = PrivateAttr(default=None)
    _given: Mapping[str, Any] = PrivateAttr(default_factory=dict)

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """Read a trial file; every fault at once, each with file and line, as one `ConfigError`."""
        path = Path(path)
        text = _read_text(path)
        try:
            raw = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise ConfigError(f"{path}:{_error_line(str(error), text)}: this is not TOML: {error}.") from error
        lines = KeyLines(text)
        trial = cls._checked(raw, path.parent, lambda fault: (lines.of(fault.key), str(path)), str(path))
        trial._file = path
        return trial

    @classmethod
    def of(cls, keys: Mapping[str, Any], folder: str | Path = ".") -> Self:
        """Make a trial from the keys of a trial file; arms and retrievers may be objects or expressions."""
        return cls._checked(keys, Path(folder), lambda fault: (0, ".".join(map(str, fault.key))), "The trial")

    @classmethod
    def _checked(
        cls, raw: Mapping[str, Any], folder: Path, place: Callable[[Fault], tuple[int, str]], name: str
    ) -> Self:
        """Build a trial; ``place`` gives the line of a fault (0 where there is none) and what it is called."""
        table = raw.get("retrievers")
        built, faults = build_retrievers(table) if isinstance(table, Mapping) else (table, [])
        trial: Self | None = None
        try:
            trial = cls.model_validate({**raw, "retrievers": built} if "retrievers" in raw else raw)
        except ValidationError as error:
            faults += _unrepeated(_fault(cls, dict(item)) for item in error.errors())
        known = {fault.key for fault in faults}
        faults += [fault for fault in cross_faults(raw) if fault.key not in known]
        if trial is not None and not faults:
            faults = list(trial._condition_faults())
        if faults or trial is None:
            placed = sorted(((*place(fault), fault.sentence) for fault in faults), key=lambda row: row[0])
            listed = "\n".join(f"  {where}{f':{line}' if line else ''}: {what}" for line, where, what in placed)
            count = "one fault" if len(faults) == 1 else f"{len(faults)} faults"
            raise ConfigError(f"{name} has {count}:\n{listed}")
        trial._folder = folder
        trial._given = _spelled(raw)
        return trial

    @property
    def file(self) -> Path | None:
        """The file the trial was read from; None for one made in Python."""
        return self._file

    @property
    def given(self) -> Mapping[str, Any]:
        """The keys as they were given, expressions as text."""
        return self._given

    @property
    def primary_retriever(self) -> str:
        """The name of the retriever under which contrasts are made unless they say otherwise."""
        return self.retriever or next(iter(self.retrievers))

    @property
    def primary_measure(self) -> Measure:
        """The measure under which contrasts are made unless they say otherwise."""
        return parse_measure(self.primary)

    @property
    def all_measures(self) -> tuple[Measure, ...]:
        """All measures to score: the primary one, those listed, and those that contrasts name; without repeats."""
        named = [*(row.measure for row in self.contrasts), *(row.measure for row in self.ladders)]
        names = [self.primary, *self.measures, *filter(None, named)]
        return tuple({measure.name: measure for measure in map(parse_measure, names)}.values())

    @property
    def cells(self) -> list[Cell]:
        """The conditions, as names of arms and retrievers."""
        return cells_of(self.arms, self.retrievers, self.only)

    def _condition_faults(self) -> Iterator[Fault]:
        cells, primary = set(self.cells), self.primary_retriever
        for number, contrast in enumerate(self.contrasts):
            under = contrast.retriever or primary
            for arm, retriever in zip(contrast.arms, (under, contrast.against or under), strict=True):
                members = self.averages.get(arm, [arm])
                yield from left_out_faults(("contrasts", number, "of"), members, retriever, cells)
        for number, ladder in enumerate(self.ladders):
            under = ladder.retriever or primary
            yield from left_out_faults(("ladders", number, "arms"), ladder.arms, under, cells)
        yield from late_faults(self.arms, self.retrievers, cells)
        yield from expand_faults(self.arms, self.retrievers, cells)
        yield from tuning_faults(self.retrievers, self.held_out is not None)
        arms = {name: arm.parameters() for name, arm in self.arms.items()}
        yield from answer_faults(self.answers, self.all_measures, arms)

    @property
    def retrieval_measures(self) -> tuple[Measure, ...]:
        """Those of all measures that rankings alone are scored by."""
        return tuple(measure for measure in self.all_measures if not measure.needs_answers)

    def resolve(self, path: str) -> Path:
        """Return where a path of the trial file lies: beside the file, or else below the current folder."""
        beside = self._folder / path
        return beside if beside.exists() or not Path(path).exists() else Path(path)


def _read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise ConfigError(
            f"There is no trial file {path}.", hint="Write one; README.md shows a short example."
        ) from None
    except IsADirectoryError:
        raise ConfigError(f"{path} is a folder, not a trial file.", hint=f"Try {path / 'trial.toml'}.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"Cannot read the trial file {path}: {error}.") from error


def _error_line(message: str, text: str) -> int:
    """Return the line that the standard library's TOML parser names, which is the last one at the end of the file."""
    found = re.search(r"at line (\d+)", message)
    return int(found[1]) if found else text.rstrip("\n").count("\n") + 1


def _unrepeated(faults: Iterable[Fault]) -> list[Fault]:
    """Return one fault a key: a value that fits none of several types is wrong once."""
    return list({fault.key: fault for fault in reversed(list(faults))}.values())


def _fault(cls: type[BaseModel], error: Mapping[str, Any]) -> Fault:
    # The name of a type that a value might have had is no key.
    key = tuple(step for step in error["loc"] if step not in ("str", "list[str]"))
    if error["type"] == "extra_forbidden":
        known = _fields_at(cls, key[:-1])
        return Fault(key, f"unknown key {key[-1]!r}. {did_you_mean(str(key[-1]), known)}")
    if error["type"] == "missing":
        return Fault(key, f"the key {'.'.join(map(str, key))!r} is missing")
    message = str(error["msg"]).removeprefix("Value error, ")
    return Fault(key, f"{'.'.join(map(str, key))}: {message}")


def _fields_at(cls: type[BaseModel], key: tuple[str | int, ...]) -> list[str]:
    inner: dict[str | int, type[BaseModel]] = {
        "dataset": DatasetSource,
        "held_out": HeldOutShare,
        "contrasts": Contrast,
        "families": Family,
        "ladders": Ladder,
        "answers": AnswerSettings,
    }
    return list((inner[key[0]] if key and key[0] in inner else cls).model_fields)


def _spelled(value: Any) -> Any:  # any TOML value
    if isinstance(value, Mapping):
        return {str(key): _spelled(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_spelled(item) for item in value]
    return value if value is None or isinstance(value, (str, int, float, bool)) else str(value)
