"""What a record says, made again from its own tables, and where the two differ."""
