"""A campaign: the records that its files hold, and how they are shown."""
