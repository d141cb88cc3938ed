"""Which values are secret: those of variables named so, those that look made at random, and well-known credentials.

A value with a secret-like name counts from six characters on, however guessable. Any other has to look made at random:
at least eight characters and 2.5 bits of entropy per character (Shannon), and

- letters, digits and signs as passwords have them; or
- a part without separators made of short runs (a name in CamelCase, capitals, digits, signs): at most 2.6 characters
  on average, in 16 characters and more 3.2, and 4 where all are hexadecimal; or
- a UUID, or the form of a known kind of credential.

Words, versions, names of hosts, models and files, dates and paths are none of these.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from evolve.core.redaction.dotenv import read_dotenv
from evolve.core.redaction.nested_values import inner_values

SHAPES: Mapping[str, re.Pattern[str]] = {
    kind: re.compile(shape)
    for kind, shape in {
        "a private key": r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY|PuTTY-User-Key-File-\d|AGE-SECRET-KEY-1[0-9A-Z]{20,}",
        "an API key": r"\bsk-[A-Za-z0-9_-]{16,}|\bAIza[0-9A-Za-z_-]{30,}|\bhf_[A-Za-z0-9]{20,}|\bgsk_[A-Za-z0-9]{20,}"
        r"|\bxai-[A-Za-z0-9]{20,}|\br8_[A-Za-z0-9]{20,}",
        "a GitHub token": r"\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_[A-Za-z0-9_]{20,}",
        "a GitLab token": r"\bgl(?:pat|dt|rt|cbt)-[A-Za-z0-9_-]{16,}",
        "an AWS key": r"\b(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}\b",
        "a Slack token": r"\bxox[abeoprs](?:\.xox[bp])?-[A-Za-z0-9-]{10,}|\bxapp-\d-[A-Za-z0-9-]{20,}",
        "the address of a webhook": r"hooks\.slack\.com/(?:services/T\w+/B\w+|workflows/T\w+/A\w+/\d+"
        r"|triggers/T\w+/\d+)/\w{16,}|discord(?:app)?\.com/api/(?:v\d+/)?webhooks/\d{6,}/[\w-]{20,}"
        r"|\.webhook\.office\.com/webhookb2/[\w@-]{30,}/IncomingWebhook/\w{16,}"
        r"|\bapi\.telegram\.org/bot\d+:|hooks\.zapier\.com/hooks/catch/\d+/\w+",
        "a bot's token": r"\b\d{8,10}:AA[A-Za-z0-9_-]{32,}"
        r"|\b[MNO][A-Za-z0-9_-]{23,25}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}",
        "a Google token": r"\bya29\.[A-Za-z0-9_-]{20,}|\bGOCSPX-[A-Za-z0-9_-]{20,}",
        "a key of a cloud": r"(?i:\bAccountKey=)[A-Za-z0-9+/]{60,}|\bdo[opr]_v1_[0-9a-f]{40,}|\bdapi[0-9a-f]{32}\b"
        r"|\bhv[sb]\.[A-Za-z0-9_-]{20,}|(?i:\baws_?secret_?(?:access_?)?key)\W{1,5}[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+])",
        "a key of a service": r"\bshp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}|\bSK[0-9a-f]{32}\b|\bkey-[0-9a-f]{32}\b"
        r"|\blin_api_[A-Za-z0-9]{30,}|\bntn_[A-Za-z0-9]{30,}|\bATATT3[A-Za-z0-9_=-]{30,}",
        "a Stripe key": r"\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}|\bwhsec_[A-Za-z0-9]{16,}",
        "a token of a package index": r"\bpypi-[A-Za-z0-9_-]{30,}|\bnpm_[A-Za-z0-9]{30,}|\bdckr_pat_[A-Za-z0-9_-]{20,}",
        "a SendGrid key": r"\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}",
        "a web token": r"\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.",
        "a header with credentials": r"(?i)\bauthorization[\"']?\s*[:=]\s*[\"']?(?:bearer|basic|token)\s+"
        r"[A-Za-z0-9._~+/=-]{8,}",
        "a password in an address": r"\b[a-z][a-z0-9+.-]*://[^\s/:@\"']*:[^\s/@\"']{3,}@",
        "a password": r"(?i)\b\w*(?:password|passwd|passphrase|secret|api_?key|token|db_?pass)\b[\"']?\s*[:=]\s*"
        r"[\"'][^\"'\s]{8,}[\"']",
    }.items()
}


LEAST_ENTROPY = 2.5
"""Bits per character (Shannon) in what looks made at random."""

_SHORTEST_NAMED, _SHORTEST_RANDOM, _LONGEST_RUNS = 6, 8, 2.6
_DEEPEST = 3

_SECRET_NAME = re.compile(
    r"(?:^|[_.-])(?:\w*(?:PASS(?:WORD|WD|PHRASE|CODE)S?|SECRETS?|TOKENS?|CREDENTIALS?|CREDS?|WEBHOOK)|\w{0,5}PWD"
    r"|\w*(?:PASSWORT|KENNWORT|SCHL(?:UE|\u00dc)SSEL|GEHEIMNIS|ZUGANGSDATEN|MOT_?DE_?PASSE|MDP|JETON|CLE_?(?:API|SECRETE)"
    r"|CONTRASE(?:N|\u00d1)A)"
    r"|(?:API|APP|ACCESS|ACCOUNT|AES|AUTH|CLIENT|CRYPT\w*|ENCRYPTION|HMAC|LICEN[CS]E|MASTER|PRIVATE|RSA|SECRET|SERVICE"
    r"|SIGN(?:ING)?|SSH|SSL|TLS)?KEYS?"
    r"|(?:ADMIN|APP|AUTH|DB|FTP|LOGIN|MAIL|MY|MYSQL|PG|REDIS|ROOT|SMTP|SQL|SSH|USER)?PASS"
    r"|PW|PAT|PIN|AUTH|DSN|SALT|JWT|BEARER|COOKIE)(?:_(?:ID|VALUE|B64|BASE64|HEX|PROD|DEV|TEST|STAGING|\d+))*$"
    r"|(?:^|_)(?:PASSWORD|PASSWD|SECRET|TOKEN|(?:API|ACCESS|PRIVATE)_?KEY|CREDENTIALS?)(?:_|$)",
    re.IGNORECASE,
)
_ENDING = re.compile(
    r"(?:_?\d+|_(?:LIVE|PROD|PRODUCTION|DEV|TEST|STAGING|NEW|OLD|CURRENT|PREVIOUS|PRIMARY|SECONDARY|BACKUP|FALLBACKS?|V\d+))+$",
    re.IGNORECASE,
)
_HARMLESS_NAME = re.compile(  # these tell of one, are the keys of tables, or tokens of a model
    r"(?:^|[_.-])(?:(?:SORT|PRIMARY|PARTITION|CACHE|PUBLIC|FOREIGN|GROUP|INDEX|ROW|JSON|DICT|COLUMN|LOOKUP|JOIN|UNIQUE"
    r"|NATURAL|MAP|FIELD|META)_?KEYS?|KEYS?_ID|(?:MAX|MIN|STOP|EOS|BOS|PAD|UNK|SEP|MASK|CLS|SPECIAL|NUM|TOTAL|PROMPT"
    r"|INPUT|OUTPUT|COMPLETION)_(?:\w+_)?TOKENS?|(?:BOARDING|CITY|SKI|SEASON|TRAVEL)_PASS"
    r"|\w*(?:KEYS?|TOKENS?|SECRETS?|PASS(?:WORD)?S?|CREDENTIALS?)_(?:TYPE|HEADER|NAME|SEPARATOR|HASHERS?|UR[LI]|ENDPOINT"
    r"|FORMAT|POLICY|BACKEND|COLUMN|FIELD|PER_\w+|PREFIX|SUFFIX|PATTERN|LENGTH|STORE|PROVIDER|ALGORITHM|MODE))$",
    re.IGNORECASE,
)
_AMBIGUOUS_NAME = re.compile(r"(?:^KEYS?|(?:^|_)(?:AUTH|COOKIE|DSN|SALT|PAT))$", re.IGNORECASE)
_METHOD = re.compile(r"[A-Za-z]+[0-9]?(?:-[a-z])?\Z")
_BUILD_NAME = re.compile(
    r"(?:^|_)(?:COMMIT|SHA\d*|REVISION|REV|DIGEST|CHECKSUM|BUILD_?(?:ID|NUMBER|TAG))$", re.IGNORECASE
)
_BUILD = re.compile(r"[0-9a-fA-F-]{7,128}\Z")
_ORDINARY_NAME = re.compile(
    r"(?:PATH|HOME|USER|LOGNAME|HOST|HOSTNAME|LANG|LANGUAGE|LC_\w+|SHELL|TERM\w*|PWD|OLDPWD|TZ|TMPDIR|EDITOR|VISUAL|PAGER"
    r"|DISPLAY|WAYLAND_\w+|XDG_\w+|DBUS_\w+|SSH_(?:CONNECTION|CLIENT|TTY|AUTH_SOCK)|LS_COLORS|PS[1-4]|VIRTUAL_ENV\w*|WINDOWID"
    r"|(?:\w+_)?(?:PATTERN|REGEXP?|RE)|INVOCATION_ID|JOURNAL_STREAM|PYTEST_\w+|COLORTERM|_)\Z",
    re.IGNORECASE,
)
_PLACEHOLDERS = frozenset(
    re.split(
        r"\s+",
        """admin api-key apikey bearer change-me change_me changeit changeme default demo development disabled dummy
        enabled example guest lm-studio localhost mysql no-key nokey none not-needed not-set notset ollama
        password placeholder postgres production required root secret sk-no-key-required staging string
        testing unknown your-key-here""",
    )
)
_COUNT = re.compile(r"[+-]?[\d.,:eE%-]+\Z|\d+(?:\.\d+)*[a-z]{0,4}\Z")
_SMALL_OR_DATE = re.compile(  # what a variable such as TOKEN_LIMIT or PASSWORD_CHANGED says
    r"(?:[+-]?\d{1,7}(?:[.,]\d{1,6})?%?|\d{1,3}(?:\.\d{1,3}){1,3}[a-z]{0,4}|\d{1,2}:\d\d(?::\d\d)?"
    r"|\d{4}[-./]\d{1,2}[-./]\d{1,2}(?:[T ][\d:.,+Z-]*)?|\d{1,2}[-./]\d{1,2}[-./]\d{4})\Z"
)
_PATH = re.compile(r"[~.]{0,2}/|[A-Za-z]:\\")
_WORD = re.compile(r"\.?(?:(?:[A-Z]?[a-z]{2,}|[A-Z]{2,})\d{0,5}|\d{1,4})(?:[._ -](?:[A-Za-z]+\d{0,5}|\d{1,4}))*\Z")
_LINE = re.compile(r"[A-Za-z0-9+/=]{40,}")
_PART = re.compile(r"[^\s./:,;=@()\[\]{}\"'|_-]+")
_RUN = re.compile(r"[a-z]*(?:[A-Z][a-z]{2,})+|[A-Z]?[a-z]+|[A-Z]+|[0-9]+|[^A-Za-z0-9]+")
_HEX = re.compile(r"(?:[0-9a-f]+|[0-9A-F]+)\Z")
_SIGN, _LETTER, _DIGIT = re.compile(r"[!#$%^&*~?+<>]"), re.compile(r"[A-Za-z]"), re.compile(r"[0-9]")
_UUID = re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class KnownSecret:
    """A value that must not leave.

    Attributes:
        source: Where it stands, such as ``the variable DB_PASS`` or ``DB_PASS in .env``; safe to show.
        value: The secret; shown nowhere.
        random: It looks made at random, so finding it inside other text is no chance. Else it counts as a whole word.
        sent: It is sent to an endpoint, which can repeat it whatever it looks like.
    """

    source: str
    value: str = field(repr=False)
    random: bool = True
    sent: bool = False


def known_secrets(
    environ: Mapping[str, str], folders: Iterable[Path] = (), *, keys: Iterable[str] = ()
) -> tuple[KnownSecret, ...]:
    """The secrets among variables, among the values of ``.env`` files, and keys that are secret by their use.

    Args:
        folders: Where ``.env`` and files such as ``.env.local`` or ``prod.env`` are looked for; what cannot be read is
            passed over.
        keys: Keys of endpoints.
    """
    secrets = [secret for name, value in environ.items() for secret in _secrets_of(f"the variable {name}", name, value)]
    for folder in dict.fromkeys(folders):
        # Sorted, so that the same value always has the same source in messages.
        for path in sorted({*folder.glob(".env*"), *folder.glob("*.env")}):
            for name, value in read_dotenv(path):
                secrets += _secrets_of(f"{name} in {path.name}", name, value)
    secrets += [secret for key in keys for secret in _endpoint_key(key.strip())]
    # Reversed, so that the first source of a value names it.
    return tuple({secret.value: secret for secret in reversed(secrets)}.values())


def _endpoint_key(value: str) -> Iterator[KnownSecret]:
    """The key of an endpoint, whatever it looks like, unless it says that none is needed."""
    source = "the key of the endpoint"
    yield from _secrets_of(source, "KEY", value)
    if len(value) >= _SHORTEST_NAMED and value.lower() not in _PLACEHOLDERS:
        yield KnownSecret(source=source, value=value, random=_is_random(value), sent=True)


def _secrets_of(source: str, name: str, value: str, depth: int = 0) -> Iterator[KnownSecret]:
    """The secrets in one variable: values inside it, its lines, and the whole."""
    text, secret = value.strip(), _is_secret_name(name, value)
    for inner in inner_values(name, text, secret=secret) if depth < _DEEPEST else ():
        if inner.sure:
            yield from _unless_ordinary(source, inner.value)
        elif inner.value != text:
            yield from _secrets_of(source, inner.name, inner.value, depth + 1)
    if "\n" in text:  # a key in PEM form, say: each of its lines gives it away
        for line in _LINE.findall(text):
            yield KnownSecret(source=source, value=line)
    # After what is inside: an ordinary variable can hold an address with a password.
    if _ORDINARY_NAME.match(name) or (_BUILD_NAME.search(name) and _BUILD.match(text)):
        return
    if secret:
        yield from _unless_ordinary(source, text)
    # These look random by their form and say nothing.
    elif not _COUNT.match(text) and "\n" not in text and not _begins_as_path(text) and _is_random(text):
        yield KnownSecret(source=source, value=text)


def _is_secret_name(name: str, value: str) -> bool:
    """Whether a name is that of a secret, also in CamelCase and with a number or an ending such as ``_LIVE``.

    Names such as KEY and AUTH are also those of columns and of methods; then a value of one plain word is none.
    """
    # dbPassword reads as db_Password.
    plain = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)
    plain = _ENDING.sub("", plain) or plain
    if any(_HARMLESS_NAME.search(spelling) for spelling in (name, plain)) or (
        _AMBIGUOUS_NAME.search(plain) and _METHOD.match(value.strip())
    ):
        return False
    return any(_SECRET_NAME.search(spelling) for spelling in (name, plain))


def _unless_ordinary(source: str, value: str) -> Iterator[KnownSecret]:
    """Gives the value as a secret, unless such stand everywhere: short, a path, a date, a small number, a filler."""
    if len(value) < _SHORTEST_NAMED or value.lower() in _PLACEHOLDERS:
        return
    if _SMALL_OR_DATE.match(value) or _is_path(value):
        return
    yield KnownSecret(source=source, value=value, random=_is_random(value))


def _path_parts(text: str) -> list[str]:
    match = _PATH.match(text)
    return [part for part in re.split(r"[/\\]", text[match.end() :]) if part] if match else []


def _begins_as_path(text: str) -> bool:
    """Whether it begins with a folder that has a name; what follows may look random, as in a cache."""
    parts = _path_parts(text)
    return len(parts) > 1 and bool(_WORD.match(parts[0])) and not _is_random_part(parts[0])


def _is_path(text: str) -> bool:
    """Whether it reads as a path: several parts, each of ordinary words. A password may begin with a slash as well."""
    parts = _path_parts(text)
    return len(parts) > 1 and all(_WORD.match(part) for part in parts) and not _is_random_part("".join(parts))


def _is_random(text: str) -> bool:
    """Whether the text looks made at random. Texts in words, and addresses up to their query, are passed over."""
    # Credentials are one word and shorter; texts in words would look random in some part.
    if len(text) > 4_096 or len(text.split()) > 1:
        return False
    if any(shape.search(text) for shape in SHAPES.values()):
        return True
    if "://" in text:
        # Hosts and paths of addresses look random without being secret.
        text = text.partition("?")[2]
    signs = _SIGN.search(text) and "/" not in text and not text.startswith("-")
    if signs and len(text) >= _SHORTEST_RANDOM and _LETTER.search(text) and _DIGIT.search(text):
        return entropy(text) >= LEAST_ENTROPY
    return bool(_UUID.search(text)) or any(_is_random_part(part) for part in _PART.findall(text))


def _is_random_part(text: str) -> bool:
    size, runs = len(text), len(_RUN.findall(text))
    if size < _SHORTEST_RANDOM or entropy(text) < LEAST_ENTROPY:
        return False
    longest = _LONGEST_RUNS if size < 2 * _SHORTEST_RANDOM else 4.0 if _HEX.match(text) else 3.2
    return size <= longest * runs


def entropy(text: str) -> float:
    """Bits of entropy per character (Shannon)."""
    return -sum(count / len(text) * math.log2(count / len(text)) for count in Counter(text).values())
