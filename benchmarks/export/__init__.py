"""Does what evolve learned work in other agents? See ``__main__``."""
