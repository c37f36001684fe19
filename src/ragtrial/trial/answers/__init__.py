"""The answer stage of a trial: a fixed reader over what was retrieved, and a judge that has to be accepted first."""
