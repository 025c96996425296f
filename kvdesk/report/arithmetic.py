"""The arithmetic of the budget's formulas, read from their text: recomputed exactly, and said to a spreadsheet.

Understands `+ − × /`, brackets, `floor` and `⌊ ⌋`, `ceil` and `⌈ ⌉`, `min`, `max`, symbols, and numbers with grouped
digits. Arguments are parted by `;` or by a comma and a space. Anything else is not arithmetic and gives None.
"""

import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from math import ceil, floor

from kvdesk.core.values import dataclass

_TOKEN = re.compile(r"\s*(?:(\d[\d,]*\d|\d)(\.\d+)?|([A-Za-z_][A-Za-z_0-9]*)|([+\-−×*/();⌊⌋⌈⌉]|,(?=\s)))")
_LONGEST = 800
_DEEPEST = 40


@dataclass(frozen=True, slots=True)
class Node:
    """A number, a symbol, or an operation on nodes; `value` is what it comes to."""

    head: str
    arguments: tuple["Node", ...]
    value: Fraction


def recompute(text: str, symbols: Mapping[str, int | float]) -> Node | None:
    """The formula with every symbol replaced by its value; None where it is not arithmetic."""
    right = text.partition("=")[2] if re.match(r"\s*[A-Za-z]\w*\s*=", text) else text
    if not right.strip() or len(right) > _LONGEST:
        return None
    try:
        return _Parser(right, symbols).all()
    except (_NotArithmetic, ZeroDivisionError):
        return None


def spreadsheet(node: Node, cells: Mapping[str, str]) -> str:
    """The node as a spreadsheet's formula without its `=`; symbols become the cells that hold them."""
    inner = [spreadsheet(argument, cells) for argument in node.arguments]
    match node.head:
        case "+" | "-" | "*" | "/":
            return f"({inner[0]}{node.head}{inner[1]})"
        case "floor":
            # Rounded to a thousandth first: binary fractions such as 0.92 must not cost a whole unit.
            return f"ROUNDDOWN(ROUND({inner[0]},3),0)"
        case "ceil":
            return f"ROUNDUP(ROUND({inner[0]},3),0)"
        case "min" | "max":
            return f"{node.head.upper()}({','.join(inner)})"
        case symbol if symbol in cells:
            return cells[symbol]
        case _:
            return _plain(node.value)


def _plain(value: Fraction) -> str:
    return str(value.numerator) if value.denominator == 1 else repr(float(value))


class _NotArithmetic(Exception):
    pass


class _Parser:
    """Recursive descent over the tokens: sum, product, factor."""

    def __init__(self, text: str, symbols: Mapping[str, int | float]) -> None:
        self._tokens = _tokens(text)
        self._symbols = symbols
        self._at = 0
        self._depth = 0

    def all(self) -> Node:
        node = self._sum()
        if self._at < len(self._tokens):
            raise _NotArithmetic
        return node

    def _peek(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _next(self) -> str:
        token = self._peek()
        self._at += 1
        return token

    def _sum(self) -> Node:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise _NotArithmetic
        node = self._product()
        while self._peek() in ("+", "-"):
            node = _operation(self._next(), node, self._product())
        self._depth -= 1
        return node

    def _product(self) -> Node:
        node = self._factor()
        while self._peek() in ("*", "/"):
            node = _operation(self._next(), node, self._factor())
        return node

    def _factor(self) -> Node:
        sign = self._next()
        if sign == "(":
            node = self._sum()
            self._expect(")")
            return node
        if sign in _ROUNDING:
            closing, name = _ROUNDING[sign]
            node = self._sum()
            self._expect(closing)
            return Node(name, (node,), _FUNCTIONS[name]([node.value]))
        if sign in _FUNCTIONS:
            return self._call(sign)
        if sign[:1].isdigit():
            return Node("number", (), Fraction(sign))
        if sign in self._symbols:
            return Node(sign, (), Fraction(repr(self._symbols[sign])))
        raise _NotArithmetic

    def _call(self, name: str) -> Node:
        self._expect("(")
        arguments = [self._sum()]
        while self._peek() == ";":
            self._next()
            arguments.append(self._sum())
        self._expect(")")
        if name in ("floor", "ceil") and len(arguments) != 1:
            raise _NotArithmetic
        return Node(name, tuple(arguments), _FUNCTIONS[name]([argument.value for argument in arguments]))

    def _expect(self, sign: str) -> None:
        if self._next() != sign:
            raise _NotArithmetic


_FUNCTIONS: Mapping[str, Callable[[list[Fraction]], Fraction]] = {
    "floor": lambda values: Fraction(floor(values[0])),
    "ceil": lambda values: Fraction(ceil(values[0])),
    "min": min,
    "max": max,
}

_ROUNDING = {"⌊": ("⌋", "floor"), "⌈": ("⌉", "ceil")}

_SIGNS = {"−": "-", "×": "*", ",": ";"}


def _operation(sign: str, left: Node, right: Node) -> Node:
    match sign:
        case "+":
            value = left.value + right.value
        case "-":
            value = left.value - right.value
        case "*":
            value = left.value * right.value
        case _:
            value = left.value / right.value
    return Node(sign, (left, right), value)


def _tokens(text: str) -> list[str]:
    found, at = [], 0
    stripped = text.rstrip()
    while at < len(stripped):
        match = _TOKEN.match(stripped, at)
        if match is None:
            raise _NotArithmetic
        digits, decimals, symbol, sign = match.groups()
        found.append(digits.replace(",", "") + (decimals or "") if digits else symbol or _SIGNS.get(sign, sign))
        at = match.end()
    return found
