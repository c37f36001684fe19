"""What is put before a chunk when it is indexed: one small file a prefix, one line here."""

from __future__ import annotations

from ragtrial.specs import Registry

__all__ = ["STEPS"]

STEPS = Registry(
    "step",
    {
        "breadcrumb": "ragtrial.prefixes.breadcrumb:Breadcrumb",
        "path": "ragtrial.prefixes.path:Path",
        "placebo": "ragtrial.prefixes.placebo:Placebo",
    },
)
