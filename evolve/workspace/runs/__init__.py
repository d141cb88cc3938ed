"""Runs of a person's own tasks: what they gave, what came of it, what they are asked."""
