"""The same engine in the shells that one would take instead of ours.

They run on the rivals' own Python (`bench/requirements.lock`), from the root of the project, and do
less than `services/runtime`: no memory of round numbers, no look for what was sent and not read
back, no quarantine, no alarms, metrics or health. So they begin on a fresh journal only.
"""
