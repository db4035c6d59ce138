"""Several folders of campaigns made one: a function of files."""
