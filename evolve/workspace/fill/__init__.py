"""Fill."""
