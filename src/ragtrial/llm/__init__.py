"""Language models: one client for any OpenAI-compatible server, replies that are kept, prompts, and the ledger."""
