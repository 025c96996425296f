"""The panels of the window, one folder for each feature."""
