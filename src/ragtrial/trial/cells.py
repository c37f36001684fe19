"""The conditions of a trial: every arm under every retriever, unless the trial keeps a retriever to some arms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ragtrial.retrievers.base import Retriever
from ragtrial.retrievers.expand import Expand
from ragtrial.retrievers.late.retriever import Late
from ragtrial.retrievers.tree import retriever_tree
from ragtrial.trial.arms import Arm
from ragtrial.trial.check import Fault

__all__ = ["Cell", "cells_of", "expand_faults", "late_faults", "left_out_faults"]

Cell = tuple[str, str]
"""The names of an arm and a retriever."""


def cells_of(arms: Iterable[str], retrievers: Iterable[str], only: Mapping[str, Iterable[str]]) -> list[Cell]:
    """Return the conditions in the order of the trial.

    ``only`` gives the arms of each retriever that is not scored on all of them.
    """
    kept = {retriever: set(names) for retriever, names in only.items()}
    names = list(retrievers)
    return [(arm, name) for arm in arms for name in names if name not in kept or arm in kept[name]]


def left_out_faults(
    key: tuple[str | int, ...], arms: Sequence[str], retriever: str, cells: set[Cell]
) -> Iterator[Fault]:
    """Yield a fault for each arm that a contrast or ladder compares where ``only`` leaves it out."""
    for arm in dict.fromkeys(arms):
        if (arm, retriever) not in cells:
            yield Fault(key, f"the arm {arm!r} is not scored under {retriever!r}: [only] leaves it out")


def late_faults(arms: Mapping[str, Arm], retrievers: Mapping[str, Retriever], cells: set[Cell]) -> Iterator[Fault]:
    """Yield a fault for each retriever with late chunking that meets arms which put text before chunks."""
    for name, retriever in retrievers.items():
        if not any(isinstance(part, Late) for part in retriever_tree(retriever)):
            continue
        prefixed = [arm for arm, built in arms.items() if built.puts_text and (arm, name) in cells]
        if prefixed:
            others = ", ".join(f'"{arm}"' for arm in arms if arm not in prefixed)
            yield Fault(
                ("retrievers", name),
                f"retrievers.{name}: late reads chunks inside their documents, where the text that "
                f"{', '.join(prefixed)} put before them is not. Keep it to arms without such text: "
                f"[only] {name} = [{others}]",
            )


def expand_faults(arms: Mapping[str, Arm], retrievers: Mapping[str, Retriever], cells: set[Cell]) -> Iterator[Fault]:
    """Yield a fault for each retriever that follows generated keys and meets arms which generate none."""
    for name, retriever in retrievers.items():
        if not any(isinstance(part, Expand) and part.needs_keys for part in retriever_tree(retriever)):
            continue
        without = [arm for arm, built in arms.items() if not built.gives_keys and (arm, name) in cells]
        if without:
            others = ", ".join(f'"{arm}"' for arm in arms if arm not in without)
            yield Fault(
                ("retrievers", name),
                f"retrievers.{name}: expand follows generated keys, and {', '.join(without)} have none. Keep it to "
                f"arms that generate them: [only] {name} = [{others}]",
            )
