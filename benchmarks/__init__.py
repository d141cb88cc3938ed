"""One module per question: ``python -m benchmarks.NAME [--quick] [--seeds N] [--json] [--out FILE]``.

``learning`` asks whether learning helps, ``speed`` what the machinery costs, ``demo`` whether the
README's command does what it says, ``coverage`` what the vocabulary serves, ``hostile`` whether the
sandbox holds, and ``results`` renders the files of the others. Rows are facts about one task and arm;
every aggregate is computed from rows by :mod:`benchmarks.figures`.
"""
