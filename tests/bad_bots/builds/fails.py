"""Says what is wrong with the source, and fails. Expected: python3 ended with exit code 1; bot.x:7:3: error: no such word."""

import sys

print("reading bot.x")
print("bot.x:7:3: error: no such word", file=sys.stderr)
sys.exit(1)
