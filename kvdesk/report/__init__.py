"""The report: its data, its chart and its writers."""
