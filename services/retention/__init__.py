"""How long an archive's leaves are kept, and how they are deleted when their time is over."""
