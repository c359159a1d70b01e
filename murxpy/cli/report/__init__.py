"""Consumers of campaign events: what a user sees of a campaign."""
