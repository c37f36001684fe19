"""FreshStack (Thakur et al. 2025) under the protocol of Mangla 2026 (MDK)."""
