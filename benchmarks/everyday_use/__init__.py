"""Tables with blank cells as offices have them, and whether filling them gives what is true."""
