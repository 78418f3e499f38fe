"""Brokers that this machine can run without Docker: the embedded one and Apache Kafka."""
