"""Known data sets: readers of their official files, and the sample for the demo."""
