"""A record in other programs' formats; the numbers are the record's own, unrounded where the format allows."""
