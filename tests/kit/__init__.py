"""Given / when / then: a table that writes facts, a journal in memory, four engines on it."""
