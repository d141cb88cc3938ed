"""Planted secrets: where each stands, and how it is told. A third was kept aside for a final look."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import quote, quote_plus


@dataclass(frozen=True, kw_only=True)
class Canary:
    """A secret in a variable, or in a ``.env`` file where ``dotenv`` says so, and the way in which it is told.

    Attributes:
        told: Makes the text that leaks it.
        tell: What of that text may be nowhere; by default all of it.
        aside: Was not looked at while the scanner was made. Of these nine it missed one, with blanks as plus signs.
    """

    name: str
    variable: str
    value: str
    told: Callable[[str], str] = str
    tell: Callable[[str], str] | None = None
    dotenv: bool = False
    aside: bool = False

    @property
    def text(self) -> str:
        """What leaks."""
        return self.told(self.value)

    @property
    def trace(self) -> str:
        """What a search of files looks for."""
        return (self.tell or self.told)(self.value)


def coded(text: str, before: str = "", after: str = "") -> str:
    """Base64 of a text inside another."""
    return base64.b64encode(f"{before}{text}{after}".encode()).decode()


def core(before: str) -> Callable[[str], str]:
    """What Base64 of a secret behind ``before`` has of the secret alone."""
    return lambda value: coded(value, before)[len(before) * 4 // 3 + 2 : -5]


PEM = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7\n-----END PRIVATE KEY-----"

CANARIES = (
    Canary(name="key", variable="OPENAI_API_KEY", value="sk-proj-9fK2mQ7xVb4TzLw8Rn3Y"),
    Canary(name="weak password", variable="DB_PASS", value="hunter2x"),
    Canary(name="token without a name", variable="BUILD", value="q8Zr2Kd9Xw4Mv7Tb1Ny6"),
    Canary(name="hex without a name", variable="WORKER", value="9f86d081884c7d659a2feaa0c55ad015"),
    Canary(name="uuid", variable="TENANT", value="7d444840-9dc0-4bd1-b245-5ffdce74fad2"),
    Canary(name="in Base64", variable="SMTP_PASSWORD", value="Gr8-pl4in!text", told=coded),
    Canary(
        name="in Base64 of a header",
        variable="SERVICE_TOKEN",
        value="Wm3kPz8sQn5vJx2b",
        told=lambda v: coded(v, "me:"),
        tell=core("me:"),
    ),
    Canary(name="URL-encoded", variable="REDIS_PWD", value="a/b+c=d&e?f9", told=lambda v: quote(v, safe="")),
    Canary(name="in JSON", variable="JSON_SECRET", value='qu"ote\\back9', told=lambda v: json.dumps({"k": v})),
    Canary(name="in hexadecimal", variable="HMAC_KEY", value="s3cr3t-hm4c-k3y", told=lambda v: v.encode().hex()),
    Canary(name="in an address", variable="DATABASE_URL", value="postgres://app:Tr1ckyPw9@db/app"),
    Canary(name="of an address", variable="QUEUE_URL", value="amqp://u:L0ngPassw0rd@q/", told=lambda v: v[9:21]),
    Canary(name="in .env", variable="STRIPE", value="rk_live_51Hx8ZQeR2tYuIoP", dotenv=True),
    Canary(name="password in .env", variable="ADMIN_PASSWORD", value="letmein-please", dotenv=True),
    Canary(name="in capitals", variable="LICENSE_KEY", value="ab12-cd34-ef56-gh78", told=str.upper),
    Canary(name="backwards", variable="SESSION_TOKEN", value="Nv9Xc3Lk7Qp1Zs5D", told=lambda v: v[::-1]),
    Canary(name="AWS", variable="AWS_ACCESS_KEY_ID", value="AKIAQ7XN2MZP4KT8WJ3R"),
    Canary(name="private key", variable="SIGNING", value=PEM, told=lambda v: v.split("\n")[1]),
    # These were kept aside.
    Canary(name="named by PAT", variable="GITHUB_PAT", value="plain-looking-words", aside=True),
    Canary(name="passphrase", variable="GPG_PASSPHRASE", value="correct horse battery staple", aside=True),
    Canary(name="in a pair", variable="AZURE", value="Server=s;Pwd=zk49tqRv;", told=lambda v: v[-9:-1], aside=True),
    Canary(name="urlsafe", variable="WEBHOOK_SECRET", value="??>>~~secret9", aside=True,
           told=lambda v: base64.urlsafe_b64encode(v.encode()).decode()),
    Canary(name="plus for blanks", variable="FTP_PASSWORD", value="two words/9", told=quote_plus, aside=True),
    Canary(name="quoted in .env", variable="API_KEY", value="h8Kq-2vZx-9Lm4", dotenv=True, aside=True),
    Canary(name="jwt", variable="LOGIN", value="eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NSJ9.abcDEF123_-", aside=True),
    Canary(name="random, no name", variable="CLUSTER", value="vR#8kz!Lq2@Wd", aside=True),
    Canary(name="in a middle of Base64", variable="MAIL_PASS", value="swordfish42", aside=True,
           told=lambda v: coded(v, "user:", " and more"), tell=lambda v: coded(v, "user:", " and more")[8:20]),
)  # fmt: skip


def environment(some: tuple[Canary, ...] = CANARIES) -> dict[str, str]:
    """The variables of those that stand in the environment."""
    return {one.variable: one.value for one in some if not one.dotenv}


def dotenv(some: tuple[Canary, ...] = CANARIES) -> str:
    """The text of a ``.env`` file with the others."""
    lines = [f"export {one.variable}='{one.value}'  # note" for one in some if one.dotenv]
    return "\n".join(["# settings", "MODE=production", "", *lines, ""])
