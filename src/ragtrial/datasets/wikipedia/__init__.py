"""Wikipedia articles under the protocol of Kuehlkamp, Moreira and Rund 2026 (KMR)."""
