"""Question files of other tools, read as they are."""
