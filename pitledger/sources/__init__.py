"""Where a journal or a submission is read from: a file, Kafka, the package."""
