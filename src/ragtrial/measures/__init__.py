"""One question's score: arrays and texts in, numbers out (METHODS section 5.1)."""
