"""Vectors on disk, shared by all trials of a user and safe under several processes."""
