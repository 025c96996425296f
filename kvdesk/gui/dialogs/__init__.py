"""Dialogs: only for what stands beside the work, never for what fails in it."""
