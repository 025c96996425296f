"""The type of a parsed JSON value."""

JsonValue = None | bool | int | float | str | list["JsonValue"] | dict[str, "JsonValue"]
