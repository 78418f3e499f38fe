"""The sealed archive."""
