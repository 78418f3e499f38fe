"""What `pitledger doctor` looks at, one module each."""
