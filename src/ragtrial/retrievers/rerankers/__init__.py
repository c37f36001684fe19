"""Questions and texts to scores: one protocol, five backends, and the cache that vectors are kept in too."""
