"""What is read: documents, their blocks and sections, and the readers that make them."""
