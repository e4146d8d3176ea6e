"""The formula language: syntax tree, exact evaluation with dimensions, and writers to other languages.

Names mean nothing here: whoever evaluates a tree resolves them. ``parser`` reads, ``evaluate`` computes, ``solve``
finds where an equation holds, ``writers`` put a tree into SQL, JavaScript, MathML and NumPy.
"""
