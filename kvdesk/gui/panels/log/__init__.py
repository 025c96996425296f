"""An engine's start-up log beside our figures."""
