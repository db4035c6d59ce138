"""What is generated: spec-valid streams with what they mean, and the ways to cut them.

The grammar is written once (`grammar`), over a small interface of choices (`source`). A seeded random source drives it
for the rules (`generator`), Hypothesis for the users' own tests (`strategies`).
"""
