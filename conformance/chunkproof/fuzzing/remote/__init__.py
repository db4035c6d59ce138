"""A campaign on several machines: its shards as slices that a scheduler hands out."""
