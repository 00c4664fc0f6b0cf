"""Policies that learn by policy gradients from play of their own: what `arena train GAME --method policy` runs."""
