"""Tasks read from files: rows, tables, assertions and folders, each checked, with the place of what is wrong."""
