"""What is remembered: entries as data, and what is done with them."""
