"""Questions by a language model, on evidence that the pipeline picks and the model never names (METHODS section 7)."""
