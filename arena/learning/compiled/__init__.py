"""Many tables of one game, dealt, played and encoded by compiled code."""
