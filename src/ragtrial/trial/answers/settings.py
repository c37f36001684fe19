"""The section ``[answers]`` of a trial file: who reads, who judges, and by which prompts."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["AnswerSettings"]


class AnswerSettings(BaseModel):
    """How answers are made and judged (METHODS section 5.3).

    - ``reader``: the model that answers, a name or a table of model options; one model for all arms.
    - ``judge``: the model that labels nuggets, spelled likewise; needed for ``nuggets@...`` only.
    - ``max_tokens``: the most tokens of an answer.
    - ``reader_prompt``, ``judge_prompt``: files with prompts of the user's own.
    - ``human_kappa``: Cohen's kappa of people's labels and the judge's on a sample; rows on nuggets stay exploratory
      below 0.6 or without it.
    - ``seed``: of the derangement that gives each question another question's answer, to test the judge.

    How many tokens the reader gets is said by the measures: ``token-f1@512t``, ``nuggets@1024t``.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    reader: str | dict[str, Any]
    judge: str | dict[str, Any] | None = None
    max_tokens: Annotated[int, Field(ge=1)] = 200
    reader_prompt: str | None = None
    judge_prompt: str | None = None
    human_kappa: Annotated[float, Field(ge=-1, le=1)] | None = None
    seed: Annotated[int, Field(ge=0)] = 0
