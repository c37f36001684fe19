"""The pages of a report: one file for the answer, a folder for questions and documents."""
