"""Guest."""
