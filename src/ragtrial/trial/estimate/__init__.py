"""What a trial would cost, said before anything is spent: calls, tokens, dollars, time, and texts to embed."""
