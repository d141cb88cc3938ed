"""Language agents on the same tasks, behind the same endpoint, judged the same way.

``python -m benchmarks.agent --arms plain`` runs them. Tasks, double and plain loop were written without sight of the
prompts of any agent but the plain loop's, and are held fast by the digests in ``FROZEN``.
"""
