"""The archivist: reads the journal and seals it, round by round, in a signed archive."""
