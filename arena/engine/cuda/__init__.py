"""The second target of the door to numba: the same compiled functions on NVIDIA graphics cards (extra `cuda`).

machine.py and lowering.py make functions of the card out of those of the CPU, kernels.py compiles and keeps them, card.py holds
memory on a card and starts kernels there. Nothing of it is imported unless tables on a card are asked for.
"""
