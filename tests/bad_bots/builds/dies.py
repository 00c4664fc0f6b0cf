"""Ends by a signal. Expected: python3 died by SIGABRT."""

import os

os.abort()
