"""The models and prompts that the section ``[answers]`` names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from ragtrial.errors import SpecError
from ragtrial.llm.options import ModelOptions
from ragtrial.llm.prompt import Prompt, load_prompt
from ragtrial.questions.model import Question
from ragtrial.trial.answers.settings import AnswerSettings
from ragtrial.trial.hashing import sha256

__all__ = ["AnswerPrompts", "answer_parameters", "indexing_models", "model_options"]

_READER_PLACES: Final = ("pieces", "question")
_JUDGE_PLACES: Final = ("answer", "nuggets", "question")


class AnswerPrompts(NamedTuple):
    """The prompt of the reader, and that of the judge if there is one."""

    reader: Prompt
    judge: Prompt | None

    @classmethod
    def load(cls, settings: AnswerSettings, resolve: Callable[[str], Path]) -> AnswerPrompts:
        """Read the prompts; ``resolve`` says where a file of the user's own lies. Faults as `load_prompt`."""

        def read(given: str | None, name: str, places: tuple[str, ...]) -> Prompt:
            return load_prompt(name if given is None else resolve(given), places, places)

        judge = None if settings.judge is None else read(settings.judge_prompt, "judge", _JUDGE_PLACES)
        return cls(read(settings.reader_prompt, "reader", _READER_PLACES), judge)


def answer_parameters(
    settings: AnswerSettings, resolve: Callable[[str], Path], questions: Sequence[Question]
) -> dict[str, Any]:
    """Return the effective parameters, JSON-ready: models, prompts and references by what they are.

    What the settings do not have is not there, so that a judge, or what people say of it, can be added to a plan.
    """
    prompts = AnswerPrompts.load(settings, resolve)
    found: dict[str, Any] = {
        "reader": dict(model_options(settings.reader).identity()),
        "reader_prompt": dict(prompts.reader.identity()),
        "max_tokens": settings.max_tokens,
        "references_sha256": sha256({question.id: question.answers for question in questions}),
    }
    if settings.judge is not None and prompts.judge is not None:
        found["judge"] = dict(model_options(settings.judge).identity())
        found["judge_prompt"] = dict(prompts.judge.identity())
        found["nuggets_sha256"] = sha256({question.id: question.nuggets for question in questions})
        found["derangement"] = settings.seed
    if settings.human_kappa is not None:
        found["human_kappa"] = settings.human_kappa
    return found


def model_options(given: str | Mapping[str, Any]) -> ModelOptions:
    """Return the options of a model that a trial names, by its name alone or as a table; faults raise `SpecError`."""
    table: dict[str, Any] = {"model": given} if isinstance(given, str) else dict(given)
    if isinstance(table.get("omit"), list):
        table["omit"] = tuple(table["omit"])
    try:
        return ModelOptions(**table)
    except TypeError as error:
        raise SpecError(f"These are no options of a model: {error}.") from error


def indexing_models(parameters: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the language models of arms, each with its arm, from the arms' effective parameters."""
    return [(arm, model) for arm, chain in parameters.items() for model in dict.fromkeys(_named(chain))]


def _named(value: object) -> Iterator[str]:
    if isinstance(value, Mapping):
        if isinstance(model := value.get("model"), str):
            yield model
        for item in value.values():
            yield from _named(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _named(item)
