"""What is shown: the schema that every run writes, and the reporters that read it."""
