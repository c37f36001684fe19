"""QASPER, questions on papers (Dasigi et al. 2021): its official files and the protocols of studies on it."""
