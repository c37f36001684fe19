"""What a record holds beside its verdicts: the contents that pages show, and descriptions that prove nothing."""
