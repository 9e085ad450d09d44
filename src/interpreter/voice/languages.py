"""Which language a text is in, as far as a voice must know it: by its letters and small words."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter

SCRIPTS = {
    "CYRILLIC": "ru",
    "GREEK": "el",
    "ARABIC": "ar",
    "HEBREW": "he",
    "HANGUL": "ko",
    "HIRAGANA": "ja",
    "KATAKANA": "ja",
    "CJK": "zh",
    "DEVANAGARI": "hi",
    "THAI": "th",
}
WORDS = {
    "en": "the and is of to in that it for with are this was you have not be as on will",
    "de": "der die das und ist nicht ein eine mit für auf den dem zu von sich wird sind im es",
    "fr": "le la les et est une des dans pour que qui pas avec sur du au sont cette il vous",
    "es": "el la los las y es una que en para por con no del se su al como más son",
    "it": "il lo la gli e è una che di per con non del si nel sono della come più questo",
    "pt": "o a os as e é uma que em para por com não do da se no na são mais",
    "nl": "de het een en is niet van in met voor op dat zijn te er aan ook wordt bij dit",
    "pl": "i w na nie jest się z do to że są jak dla od po przez tego oraz który może",
    "sv": "och att det är en som på inte för med av den till har ett om var kan från detta",
    "tr": "ve bir bu için ile de da ne çok olarak daha var gibi kadar sonra ama değil mi en o",
}
SMALL_WORDS = {language: frozenset(words.split()) for language, words in WORDS.items()}
ENOUGH = 0.3  # the share of letters of another script that decides
LOOKED_AT = 2_000


def language_of(text: str, usual: str = "en") -> str:
    """The language of a text by its code; what cannot be told is the usual one."""
    text = text[:LOOKED_AT]
    letters = [character for character in text if character.isalpha()]
    scripts = Counter(_script(character) for character in letters)
    for language, count in scripts.most_common():
        if language == "zh" and scripts["ja"]:
            return "ja"
        if language and count > ENOUGH * len(letters):
            return language
    words = re.findall(r"\w+", text.lower())
    scores = {
        language: sum(word in small for word in words) for language, small in SMALL_WORDS.items()
    }
    best = max(scores, key=lambda language: scores[language])
    return best if scores[best] > scores.get(usual, 0) + 1 else usual


def _script(character: str) -> str:
    if character.isascii():
        return ""
    return SCRIPTS.get(unicodedata.name(character, "").partition(" ")[0], "")
