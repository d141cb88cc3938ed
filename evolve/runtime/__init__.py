"""What work runs on: the sandbox, models, functions that may be called, and search over texts."""
