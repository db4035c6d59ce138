"""From what is seen of a failing target to the deviations that make the reference behave so."""
