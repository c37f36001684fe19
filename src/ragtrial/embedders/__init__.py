"""Texts to vectors: one protocol, four backends, and a cache that all trials of a user share."""
