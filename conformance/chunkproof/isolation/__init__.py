"""Each rule in a process of its own: a target that hangs, exits, crashes or eats memory takes nothing else down."""
