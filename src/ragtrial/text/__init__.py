"""What is done to plain text before anything is measured on it: tokens, words, sentences."""
