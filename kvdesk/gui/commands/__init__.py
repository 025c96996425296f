"""Everything that can be done, as one table and a handler for each of its rows."""
