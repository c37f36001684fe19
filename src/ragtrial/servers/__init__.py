"""What all servers have in common, whatever is asked of them: addresses without secrets, and keys that stay secret."""
