"""Scenario files: read, write, migrate."""
