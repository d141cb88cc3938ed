"""Stages that a workflow may add between the main ones; ``evolve lab workflow stages`` lists what each does."""
