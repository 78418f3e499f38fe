"""Export: a journal as tables that any program reads, each row with the way back to its event."""
