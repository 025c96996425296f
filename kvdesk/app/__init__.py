"""What the window, the command line and the report share: sessions, actions, cached results."""
