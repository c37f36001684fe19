"""What is asked: questions, their evidence, and where the evidence stands in the documents."""
