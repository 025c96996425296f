"""The sections of a report, one small builder each: from the input to blocks."""
