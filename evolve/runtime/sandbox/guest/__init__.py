"""Programs that are sent into the sandbox as text and run there."""
