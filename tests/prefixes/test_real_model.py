"""Every prompt of steps and chunkers end to end with a real small model; of its words nothing is asked."""

import pytest

from ragtrial.chunkers.fields import Fields
from ragtrial.chunkers.headers import Headers
from ragtrial.chunkers.induced import Inducer, load_prompts
from ragtrial.documents.markdown import read_markdown
from ragtrial.llm.load import load
from ragtrial.merging.merge import Merge
from ragtrial.trial.arms import Arm

pytestmark = pytest.mark.slow

TEXT = "# Pump\n\nThe pump moves oil.\n\n## Filter\n\nThe filter keeps the oil clean.\n"


@pytest.fixture
def build(small_model):
    """Return a function that builds an arm; ``M`` in its expression stands for the model."""
    model = f"'{small_model.model}', url='{small_model.url}', window={small_model.window}"
    return lambda spec: Arm.of(spec.replace("M", model)).build([read_markdown(TEXT, id="pump.md")])


def test_enrichment(build):
    chunks = build("headers + enriched(M, max_tokens=50)")  # too few for all fields: each seed is asked
    assert chunks.texts == (TEXT,)
    report = chunks.reports[0]
    assert (report["chunks"], report["asked_again"]) == (1, report["without_fields"])


def test_one_call_a_field(build):
    chunks = build("headers + per_field(M, fields=['title'], max_tokens=40)")
    assert chunks.reports[0]["chunks"] == 1
    assert chunks.prefixes[0] == "" or chunks.prefixes[0].endswith("\n\n")


def test_context(build):
    chunks = build("headers + context(M, max_tokens=30)")
    assert chunks.reports[0]["without_context"] == 0
    assert chunks.prefixes[0].endswith("\n\n")


def test_consolidation(small_model):
    chunks = Headers(min=0).chunk_documents([read_markdown(TEXT, id="pump.md")])
    keyed = chunks.with_fields([Fields(key="oil filter"), Fields(key="filter of oil")], ())
    merged = Merge("consolidated", small_model.model, url=small_model.url, max_tokens=60).apply(keyed)
    assert "".join(merged.texts) == TEXT


def test_induced_sections(small_model):
    inducer = Inducer(load(small_model), *load_prompts("structure", "structure-correction"), max_tokens=60, seed=0)
    induced = inducer.induce(read_markdown(TEXT, id="pump.md"))
    assert bool(induced.sections) == (induced.outcome != "unusable")
