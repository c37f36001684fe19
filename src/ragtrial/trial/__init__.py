"""The stages brought together: from a trial file to a record."""
