"""Text to the words that BM25 counts: split, drop stop words, stem."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from ragtrial.errors import MissingExtraError, SpecError, did_you_mean
from ragtrial.text.words import WordSplitter, search_words, study_words

__all__ = ["analyzer"]

_SPLITTERS: Final[dict[str, WordSplitter]] = {"study": study_words, "unicode": search_words}

# The stop-word lists go by ISO 639-1 codes; these names are the stemmers' own, so that one word serves both.
_CODES: Final = {
    "arabic": "ar", "armenian": "hy", "basque": "eu", "catalan": "ca", "chinese": "zh", "czech": "cs", "danish": "da",
    "dutch": "nl", "english": "en", "esperanto": "eo", "estonian": "et", "finnish": "fi", "french": "fr",
    "german": "de", "greek": "el", "hindi": "hi", "hungarian": "hu", "indonesian": "id", "irish": "ga",
    "italian": "it", "japanese": "ja", "korean": "ko", "norwegian": "no", "persian": "fa", "polish": "pl",
    "portuguese": "pt", "romanian": "ro", "russian": "ru", "spanish": "es", "swedish": "sv", "thai": "th",
    "turkish": "tr", "ukrainian": "uk", "vietnamese": "vi",
}  # fmt: skip


def analyzer(words: str, stop: str | None, stem: str | None) -> WordSplitter:
    """Return the function from text to the words that are counted, the same for chunks and questions.

    Parameters
    ----------
    words : {"unicode", "study"}
        Split with `search_words` or with `study_words`.
    stop : str or None
        The language whose stop words are dropped, before stemming; a name or ISO code.
    stem : str or None
        The language of the Snowball stemmer; a name or ISO code.

    Raises
    ------
    SpecError
        The language has no stop words or no stemmer.
    MissingExtraError
        The libraries of the extra ``stem`` are not installed.
    """
    split = _SPLITTERS[words]
    stopped = None if stop is None else _stop_words(stop, split)
    stemmed = None if stem is None else _stemmer(stem)
    if stopped is None and stemmed is None:
        return split

    def analyze(text: str) -> list[str]:
        found = split(text)
        if stopped is not None:
            found = [word for word in found if word not in stopped]
        return found if stemmed is None else stemmed(found)

    return analyze


def _stop_words(language: str, split: WordSplitter) -> frozenset[str]:
    try:
        import stopwordsiso
    except ImportError as error:
        raise MissingExtraError("Stop words need the library stopwordsiso.", extra="stem") from error
    code = _CODES.get(language, language)
    known = {name for name, iso in _CODES.items() if stopwordsiso.has_lang(iso)} | set(stopwordsiso.langs())
    if code not in known:
        raise SpecError(f"There are no stop words for {language!r}.", hint=did_you_mean(language, known))
    parts = (split(entry) for entry in stopwordsiso.stopwords(code))
    # Of an entry such as "a-plus" the parts are no stop words; of an unspaced pair only the pair itself is one.
    return frozenset(part[-1] for part in parts if part and (len(part) == 1 or part[-1] == "".join(part[:-1])))


def _stemmer(language: str) -> Callable[[list[str]], list[str]]:
    try:
        import Stemmer
    except ImportError as error:
        raise MissingExtraError("Stemming needs the library PyStemmer.", extra="stem") from error
    try:
        stem: Callable[[list[str]], list[str]] = Stemmer.Stemmer(language).stemWords
    except KeyError as error:
        raise SpecError(
            f"There is no stemmer for {language!r}.", hint=did_you_mean(language, Stemmer.algorithms())
        ) from error
    return stem
