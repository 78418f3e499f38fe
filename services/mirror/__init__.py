"""A second, independent copy of an archive, verified as it is made."""
