"""What the user must know beside the numbers."""
