"""Models: what their files say, and the only code that touches the network (`client`)."""
