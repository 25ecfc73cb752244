"""Mutation testing: change the source a little, and see whether a test notices.

Run: python -m tools.mutants [GROUP ...]; see docs/decisions/0019-mutants.md.
"""
