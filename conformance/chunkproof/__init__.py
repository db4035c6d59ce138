"""What must hold: the oracle, the rules, and the runs that judge a target by them."""
