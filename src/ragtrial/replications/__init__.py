"""The two studies as presets: what they fix, which models they need, and what they found."""
