"""Names that are close to a mistyped one."""

from collections.abc import Iterable


def close_to(text: str, names: Iterable[str], limit: int = 3) -> tuple[str, ...]:
    """Up to `limit` of `names` that `text` may have meant, best first."""
    from difflib import get_close_matches  # 5 ms, and only needed when something went wrong

    known = tuple(names)
    key = text.strip().lower()[:200]
    parts = [name for name in known if key and key in name.lower()]
    near = get_close_matches(key, known, n=limit, cutoff=0.5)
    return tuple(dict.fromkeys([*sorted(parts, key=len)[:limit], *near]))[:limit]


def did_you_mean(found: tuple[str, ...]) -> str:
    """A sentence that offers `found`, "" for none."""
    if not found:
        return ""
    *head, last = found
    return f"Did you mean {', '.join(head)} or {last}?" if head else f"Did you mean {last}?"
