"""Parsers that misbehave in other ways than by a wrong event: each of them gets exactly its verdict.

`parsers.py` is written as a stranger's module; `test_hostile.py` runs the suite on all of them at once.
"""
