"""The stages of an episode, one function each, in a file of its name: ``stage(state, context) -> update``.

A stage changes neither its state nor its context; what it wants changed it returns. :mod:`evolve.agent.graph` loads a
stage when it is first run.
"""
