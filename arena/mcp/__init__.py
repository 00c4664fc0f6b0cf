"""A Model Context Protocol server: programs that use tools play here, write bots, and look at results (docs/mcp.md)."""
