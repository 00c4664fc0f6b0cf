"""Secrets that let somebody in: random, of 256 bits, and only their SHA-256 is kept."""

import hashlib
import secrets


def new_token() -> str:
    """A new secret, safe in addresses and cookies."""
    return secrets.token_urlsafe(32)


def digest(secret: str) -> str:
    """The SHA-256 of a secret, which is all that is kept of it. Random secrets of this length need no slow hash."""
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).hexdigest()
