"""The type of a parsed JSON value."""

JsonValue = None | bool | int | float | str | list["JsonValue"] | dict[str, "JsonValue"]


def holds_half_characters(value: JsonValue) -> bool:
    """Whether a text in `value` holds a lone surrogate, such as U+D800, which no file in UTF-8 can hold."""
    level: list[JsonValue] = [value]
    while level:
        item = level.pop()
        if isinstance(item, dict):
            level.extend(item)
            level.extend(item.values())
        elif isinstance(item, list):
            level.extend(item)
        elif isinstance(item, str) and not item.isascii() and any("\ud800" <= letter <= "\udfff" for letter in item):
            return True
    return False
