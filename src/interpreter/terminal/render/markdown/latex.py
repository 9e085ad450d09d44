"""Formulas as text that can be read in a terminal: the common commands as the signs they mean."""

from __future__ import annotations

import re

SIGNS = {
    **{name: chr(code) for code, name in enumerate(["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu", "nu", "xi", "omicron", "pi", "rho"], 0x3B1)},  # noqa: E501
    **{name: chr(code) for code, name in enumerate(["sigma", "tau", "upsilon", "phi", "chi", "psi", "omega"], 0x3C3)},  # noqa: E501
    "Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ", "Pi": "Π", "Sigma": "Σ", "Phi": "Φ",
    "Psi": "Ψ", "Omega": "Ω", "cdot": "·", "times": "×", "div": "÷", "pm": "±", "mp": "∓",
    "le": "≤", "leq": "≤", "ge": "≥", "geq": "≥", "ne": "≠", "neq": "≠", "approx": "≈",
    "equiv": "≡", "sim": "∼", "propto": "∝", "infty": "∞", "sum": "∑", "prod": "∏", "int": "∫",
    "partial": "∂", "nabla": "∇", "in": "∈", "notin": "∉", "subset": "⊂", "subseteq": "⊆",
    "cup": "∪", "cap": "∩", "emptyset": "∅", "forall": "∀", "exists": "∃", "neg": "¬",
    "land": "∧", "lor": "∨", "to": "→", "rightarrow": "→", "leftarrow": "←", "Rightarrow": "⇒",
    "Leftrightarrow": "⇔", "mapsto": "↦", "ldots": "…", "dots": "…", "cdots": "⋯",
    "varepsilon": "ε", "varphi": "φ", "langle": "⟨", "rangle": "⟩", "circ": "∘", "mid": "|",
    "displaystyle": "", "left": "", "right": "", "quad": "  ", "qquad": "    ", "limits": "",
}  # fmt: skip
SUPERSCRIPTS = str.maketrans("0123456789+-=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ")
SUBSCRIPTS = str.maketrans("0123456789+-=()aeoxijkn", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₒₓᵢⱼₖₙ")
UP, DOWN = frozenset("0123456789+-=()ni"), frozenset("0123456789+-=()aeoxijkn")
GROUP = r"\{([^{}]*)\}"
FRACTION = re.compile(rf"\\[dt]?frac\s*{GROUP}\s*{GROUP}")
ROOT = re.compile(rf"\\sqrt\s*{GROUP}")
WRAPPER = re.compile(
    rf"\\(?:text|mathrm|mathbf|mathit|mathbb|mathcal|operatorname|boxed|hat|bar|vec)\s*{GROUP}"
)
SCRIPT = re.compile(rf"([\^_])(?:{GROUP}|([^\s\\{{}}]))")
COMMAND = re.compile(r"\\([A-Za-z]+)")
DELIMITERS = re.compile(r"\$\$?|\\[\[\]()]|\\(?:begin|end)\{[^{}]*\}")
DEEPEST = 8  # groups within groups that are followed


def readable(source: str) -> str:
    """A formula in LaTeX as one or more lines of plain text."""
    text = DELIMITERS.sub("", source).replace("\\\\", "\n").replace("&", "")
    for _ in range(DEEPEST):
        text, before = _inner(text), text
        if text == before:
            break
    text = COMMAND.sub(lambda found: SIGNS.get(found[1], found[1]), text)
    text = re.sub(r"\\([%$#_{}&,;:! ])", r"\1", text).replace("{", "").replace("}", "")
    return "\n".join(line for line in (" ".join(line.split()) for line in text.split("\n")) if line)


def _inner(text: str) -> str:
    text = FRACTION.sub(lambda found: f"{_grouped(found[1])}/{_grouped(found[2])}", text)
    text = ROOT.sub(lambda found: f"√{_grouped(found[1])}", text)
    text = WRAPPER.sub(r"\1", text)
    return SCRIPT.sub(_script, text)


def _grouped(text: str) -> str:
    return text if re.fullmatch(r"\w+|\\[A-Za-z]+", text.strip()) else f"({text})"


def _script(found: re.Match[str]) -> str:
    body = found[2] if found[2] is not None else found[3]
    known, table = (UP, SUPERSCRIPTS) if found[1] == "^" else (DOWN, SUBSCRIPTS)
    if body and set(body) <= known:
        return body.translate(table)
    mark = "^" if found[1] == "^" else "_"
    return f"{mark}{_grouped(body)}" if len(body) > 1 else f"{mark} {body}".replace(" ", "")
