"""Typed readers of the tables in resources: accelerators and offline model cards."""
