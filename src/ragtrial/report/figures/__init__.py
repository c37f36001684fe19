"""Figures of a record as files of SVG, PDF or PNG; each shows what a table beside it says."""
