"""Dispute packets: one sealed round with what proves it and an account of it, in one zip."""
