"""Programs that run another project on our tasks, each in an environment of its own; none imports evolve."""
