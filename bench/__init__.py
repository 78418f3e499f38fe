"""Benchmarks: `make bench`. What else one would pick runs beside it, in the same run."""
