"""How many GPUs of each kind hold the sequences."""
