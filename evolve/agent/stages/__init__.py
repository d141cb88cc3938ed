"""The eight stages of every episode, one per module: recall, plan, act, observe, judge, reflect, distill, commit.

``optional`` has those that a workflow may add. A stage is ``stage(state, context) -> update`` and changes neither.
"""
