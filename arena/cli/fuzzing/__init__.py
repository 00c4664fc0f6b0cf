"""Inputs that nobody would write on purpose, and what the commands make of them: what `arena bench fuzz` does.

mutations.py damages documents and bytes, inputs.py makes an input from a number, trying.py runs the command on it and judges,
campaign.py does so in several processes for as long as is asked. The same seed and number are the same input.
"""
