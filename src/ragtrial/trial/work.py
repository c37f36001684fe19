"""The one place where work may leave this process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from ragtrial.errors import MissingExtraError

__all__ = ["map_tasks"]

Task = TypeVar("Task")
Result = TypeVar("Result")


def map_tasks(function: Callable[[Task], Result], tasks: Iterable[Task], workers: int = 1) -> Iterator[Result]:
    """Yield ``function(task)`` for each task, in order, from ``workers`` processes.

    ``function`` must be pure: results never depend on the number of workers. With more
    than one worker joblib does the work, on whatever backend is active
    (``joblib.parallel_config(backend="dask")``).
    """
    if workers == 1:
        return map(function, tasks)
    try:
        from joblib import Parallel, delayed
    except ImportError:
        raise MissingExtraError("More than one worker needs joblib.", extra="parallel") from None
    results: Iterator[Result] = Parallel(n_jobs=workers, return_as="generator")(
        delayed(function)(task) for task in tasks
    )
    return results
