"""Ends well and makes nothing. Expected: build.makes: bot was not made."""
