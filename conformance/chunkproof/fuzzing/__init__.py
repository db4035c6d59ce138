"""Campaigns: engines that look for faults for as long as somebody lets them, and what becomes of what they find."""
