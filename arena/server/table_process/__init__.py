"""A table with people at it: a process that plays one match, talks to the server in JSON, and shows each seat its own view."""
