"""What is tested: the contract of a target, the shapes a parser may have, and the parsers that come with the suite."""
