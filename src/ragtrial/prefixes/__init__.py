"""What is put before a chunk, or behind it, when it is indexed: one small file a prefix, one line here."""

from __future__ import annotations

from ragtrial.specs import Registry

__all__ = ["PREFIXES"]

PREFIXES = Registry(
    "step",
    {
        "behind": "ragtrial.prefixes.behind:Behind",
        "breadcrumb": "ragtrial.prefixes.breadcrumb:Breadcrumb",
        "context": "ragtrial.prefixes.context:Context",
        "enriched": "ragtrial.prefixes.enriched:Enriched",
        "lead": "ragtrial.prefixes.lead:Lead",
        "path": "ragtrial.prefixes.path:Path",
        "per_field": "ragtrial.prefixes.per_field:PerField",
        "placebo": "ragtrial.prefixes.placebo:Placebo",
        "title": "ragtrial.prefixes.lead:Title",
    },
)
