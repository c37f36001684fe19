"""Rows of contrasts as an analysis could have made them, and the same seen from the other arm."""

from hypothesis import strategies as st

from ragtrial.statistics.verdict import TIERS, verdict

SWAPPED = {"A": "B", "B": "A", "neither": "neither"}


def mirrored(ci):
    return None if ci is None else [-ci[1], -ci[0]]


def swap(row):
    """Return the row of the contrast B - A."""
    point = {
        "difference": -row["difference"],
        "ci90": mirrored(row["ci90"]),
        "ci95": mirrored(row["ci95"]),
        "direction": SWAPPED[row["direction"]],
    }
    if "name" not in row:
        return row | point
    names = {"a": row["b"], "b": row["a"], "mean_a": row["mean_b"], "mean_b": row["mean_a"]}
    return row | point | names | {"curve": [swap(inner) for inner in row["curve"]]}


numbers = st.floats(-1, 1).map(lambda number: round(number, 4))


@st.composite
def rows(draw, tests=("difference", "equivalence"), name="contrast"):
    """Make a contrast's row as an analysis could have made it; the verdict is that of the one function for it."""
    test = draw(st.sampled_from(tests))
    difference, low, high = draw(numbers), draw(st.floats(0, 0.5)), draw(st.floats(0, 0.5))
    interval = draw(st.booleans())
    # As in a record, the measured difference lies inside its own interval.
    ci95 = (difference - low, difference + high) if interval else None
    ci90 = (difference - low * 0.8, difference + high * 0.8) if interval else None
    margin = None if test == "difference" else 0.05
    p = draw(st.floats(0, 1))
    said = verdict(test, difference, ci95, margin=margin, p_margin=p)
    mean = draw(st.floats(0, 1))
    return {
        "name": name,
        "a": "left arm",
        "b": "right arm",
        "retriever": "bm25",
        "measure": "recall@512t",
        "test": test,
        "margin": margin,
        "family": None,
        "tier": draw(st.sampled_from(TIERS)),
        "questions": 9,
        "clusters": 5,
        "mean_a": mean + difference,
        "mean_b": mean,
        "difference": difference,
        "ci90": None if ci90 is None else list(ci90),
        "ci95": None if ci95 is None else list(ci95),
        "p_sign_flip": p,
        "p_sign_flip_holm": None,
        "p_margin": None if margin is None else p,
        "p_margin_holm": None,
        "dz": None,
        "wins": 1,
        "ties": 1,
        "losses": 1,
        "mde": None,
        "verdict": said.word,
        "direction": said.direction,
        "remark": said.remark,
        "interval": "bca",
        "notes": [],
        "curve": [
            {
                "measure": f"recall@{budget}t",
                "difference": difference,
                "ci90": None if ci90 is None else list(ci90),
                "ci95": None if ci95 is None else list(ci95),
                "direction": said.direction,
            }
            for budget in (256, 512)
        ],
    }
