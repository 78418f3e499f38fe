"""What is measured and compared, each a program of its own: prints rounds and seconds."""
