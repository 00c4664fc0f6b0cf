"""The pages that ship with arena, to be read in the terminal or in a browser."""
