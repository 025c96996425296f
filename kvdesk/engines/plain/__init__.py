"""The textbook budget: memory on the box x utilization - weights - reserve, no engine's peculiarities."""
