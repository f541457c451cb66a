"""The patterns of N-Triples 1.1 and of absolute IRIs (RFC 3987).

The same pattern texts serve Python's ``re`` and RE2 inside pyarrow, so both read the same language.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from loaders.terms import LANG_STRING, XSD_STRING

if TYPE_CHECKING:
    import pyarrow as pa

_UCSCHAR = "\u00a0-\ud7ff\uf900-\ufdcf\ufdf0-\uffef" + "".join(
    f"{chr(plane * 0x10000 + (0x1000 if plane == 14 else 0))}-{chr(plane * 0x10000 + 0xFFFD)}" for plane in range(1, 15)
)
_PRIVATE = "\ue000-\uf8ff\U000f0000-\U000ffffd\U00100000-\U0010fffd"
_PERCENT = "%[0-9A-Fa-f]{2}"
_SUBDELIMITERS = "!$&'()*+,;="


def _run(characters: str) -> str:
    """Any number of ``characters`` and percent-encoded bytes."""
    return f"[{characters}]*(?:{_PERCENT}[{characters}]*)*"


def _iri(letters: str, private: str, ip_literal: str) -> str:
    unreserved = f"A-Za-z0-9._~{letters}\\-"
    segment = f"{unreserved}{_SUBDELIMITERS}:@"
    host = _run(unreserved + _SUBDELIMITERS)
    authority = f"(?:{_run(unreserved + _SUBDELIMITERS + ':')}@)?(?:{ip_literal}{host})(?::[0-9]*)?"
    path = _run(segment + "/")
    without_authority = f"/?(?:(?:[{segment}]|{_PERCENT}){path})?"
    tail = f"(?:\\?{_run(segment + '/?' + private)})?(?:#{_run(segment + '/?')})?"
    return f"[A-Za-z][A-Za-z0-9+.\\-]*:(?://{authority}(?:/{path})?|{without_authority}){tail}"


_IP_LITERAL = f"\\[[0-9A-Fa-f:.]+\\]|\\[[vV][0-9A-Fa-f]+\\.[A-Za-z0-9._~{_SUBDELIMITERS}:\\-]+\\]|"
_ABSOLUTE_IRI = _iri(_UCSCHAR, _PRIVATE, _IP_LITERAL)
_IPV6 = re.compile(r"[^/?#]*//[^/?#]*\[([0-9A-Fa-f:.]+)\]")

_BASE = (
    "A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c-\u200d"
    "\u2070-\u218f\u2c00-\u2fef\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)
_LABEL_START = f"{_BASE}_0-9"
_LABEL_INSIDE = f"{_LABEL_START}\u00b7\u0300-\u036f\u203f-\u2040\\-"

LANGUAGE = "[a-zA-Z]+(?:-[a-zA-Z0-9]+)*"
UNICODE_ESCAPE = r"\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8}"

# Written as runs with escapes between them: a choice at every character would be several times slower.
_IRI_RUN = r'[^\x00-\x20<>"{}|^`\\]*'
_STRING_RUN = r'[^"\\\n\r]*'
IRI_TOKEN = re.compile(rf"<({_IRI_RUN}(?:(?:{UNICODE_ESCAPE}){_IRI_RUN})*)>")
STRING_TOKEN = re.compile(rf'"({_STRING_RUN}(?:(?:\\[tbnrf"\'\\]|{UNICODE_ESCAPE}){_STRING_RUN})*)"')
LANGUAGE_TOKEN = re.compile(f"@({LANGUAGE})")

_PLAIN_IRI = f"<{_iri('', '', '')}>"
_INTERNATIONAL_IRI = f"<{_iri(_UCSCHAR, _PRIVATE, '')}>"
_PLAIN_BLANK = r"_:[A-Za-z0-9_](?:[A-Za-z0-9_.\-]*[A-Za-z0-9_\-])?"
TERMINATOR = r"(?:[ \t]|[ \t]*\.[ \t]*\r?\n)"


def _token(iri: str) -> str:
    literal = rf'"(?:[^"\\\x00-\x1f]|\\[tbnrf"\\])*"(?:@{LANGUAGE}|\^\^{iri})?'
    return f"^(?:{iri}|{_PLAIN_BLANK}|{literal}){TERMINATOR}$"


# A term that is canonical as it stands, with the separator or the end of the statement behind it. The first is for
# text that is all ASCII: its automaton is several times smaller.
PLAIN_TOKEN = _token(_PLAIN_IRI)
INTERNATIONAL_TOKEN = _token(_INTERNATIONAL_IRI)
TOKEN_TRAIL = " \t.\r\n"

# A term that is canonical as it stands, in a store that takes any name; its datatype has to be looked at.
_PLAIN_TERM = rf'^(?:<{_IRI_RUN}>|{_PLAIN_BLANK}|"(?:[^"\\\x00-\x1f]|\\[tbnrf"\\])*"(?:@{LANGUAGE}|\^\^<{_IRI_RUN}>)?)$'


def not_plain(texts: Sequence[str]) -> list[str]:
    """Return those of many texts that are not the canonical texts of terms as they stand; the others are.

    Raise ``UnicodeEncodeError`` if one of them holds half of a surrogate pair.

    >>> not_plain(["<http://e.org/a>", "http://e.org/a", '"1"^^<http://e.org/d>', r'"caf\\u00E9"'])
    ['http://e.org/a', '"caf\\\\u00E9"']
    """
    from loaders.arrow import text_array

    array = text_array(texts)
    found: list[str] = array.filter(_not_plain(array)).to_pylist()
    return found


def plain_terms(texts: Sequence[str]) -> pa.DictionaryArray | None:
    """Return many texts ready to be encoded if they are the canonical texts of terms as they stand, else None."""
    import pyarrow.compute as pc

    from loaders.arrow import text_array

    try:
        distinct = text_array(texts).dictionary_encode()
    except UnicodeEncodeError:
        return None
    return None if pc.any(_not_plain(distinct.dictionary)).as_py() else distinct


def _not_plain(array: pa.StringArray) -> pa.BooleanArray:
    import pyarrow.compute as pc

    others = pc.invert(pc.match_substring_regex(array, _PLAIN_TERM))
    for datatype in (XSD_STRING, LANG_STRING):
        others = pc.or_(others, pc.ends_with(array, f"^^<{datatype}>"))
    return others


@cache
def blank_token() -> re.Pattern[str]:
    """Return the pattern of a blank node, compiled when it is first needed: it takes longer than a small file."""
    return re.compile(f"_:[{_LABEL_START}](?:[{_LABEL_INSIDE}.]*[{_LABEL_INSIDE}])?")


@lru_cache(maxsize=1 << 14)
def is_absolute_iri(iri: str) -> bool:
    """Tell whether ``iri`` is an absolute IRI after RFC 3987, a fragment allowed.

    >>> is_absolute_iri("http://example.org/caf%C3%A9#x"), is_absolute_iri("cafe"), is_absolute_iri("urn:a b")
    (True, False, False)
    """
    if re.fullmatch(_ABSOLUTE_IRI, iri) is None:
        return False
    if "[" in iri and (match := _IPV6.match(iri)):
        try:
            ipaddress.IPv6Address(match[1])
        except ValueError:
            return False
    return True
