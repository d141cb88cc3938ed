"""Which sentences may become insights: short statements of fact, and nothing that reads like an order or like code."""

from __future__ import annotations

import re
import unicodedata

_LONGEST = 240
# Patterns for screening: first words of orders, addresses, orders inside a sentence, code, and words about the machine.
_ORDER = re.compile(
    r"(?:always|add|append|assume|be|begin|call|change|check|click|consider|connect"
    r"|copy|delete|disable|disregard|do|don|download|ensure|execute|export|fetch"
    r"|first|follow|forget|get|give|go|grant|ignore|import|include|insert|"
    r"install|keep|let|load|look|make|must|never|note|obey|open|output|"
    r"override|please|post|print|put|read|remember|remove|replace|reply|respond|"
    r"return|run|save|say|send|set|should|start|stop|store|submit|take|tell|"
    r"treat|trust|try|update|upload|use|visit|write|you|your)\b"
)
_ADDRESS = re.compile(
    r"https?:|www\.|\b[\w.-]+@[\w-]+\.\w|\b[\w-]+\.(?:com|net|org|io|sh|dev|ru|xyz|example)\b|(?<!\w)/\w+/\w+"
)
_ORDER_INSIDE = re.compile(
    r"\b(?:assistant|the agent|the model|user) (?:must|should|need|has to|will|can|may)\b|\byour?\b|\bfrom now on\b"
    r"|\b(?:ignore|disregard|forget|override|bypass|disable|exfiltrat\w*|upload|curl|wget|sudo|chmod|rm -|eval|exec"
    r"|subprocess|os\.system|system prompt|instructions?|password|credentials?|secrets?|api.?keys?)\b"
    r"|\b(?:always|never) \w+ (?:the|this|a|an|all|any|it)\b|[:;,.]\s*(?:always|never|please|remember|then)\b",
    re.IGNORECASE,
)
_CODE = re.compile(r"[`{}\\;]|\w\(|==|\+=|->|\bdef \b|\bimport \b|\blambda\b|&&")
_MACHINE = re.compile(
    r"\b(?:sandbox|timeouts?|timed out|time limit|network|endpoint|connection|permission|denied|refused operation"
    r"|out of memory|disk|not installed|unavailable|rate limit|api)\b",
    re.IGNORECASE,
)


def unfit(text: str) -> str:
    """Why a sentence cannot be an insight, or "".

    It must be one line of at most 240 plain characters, state something rather than demand it, hold no address and no
    code, and speak of the task rather than of the machine.
    """
    # Full-width and other compatible letters would pass the patterns.
    flat = unicodedata.normalize("NFKC", text)
    if not text.strip():
        return "it says nothing"
    if len(text) > _LONGEST or "\n" in text.strip():
        return f"it is longer than one line of {_LONGEST} characters"
    if any(unicodedata.category(sign) in ("Cc", "Cf", "Co", "Cs") for sign in flat):
        return "it holds invisible characters"
    words = re.findall(r"[a-z]+", flat.lower())
    if not words or len(words) < 3:
        return "it is no sentence"
    for pattern, why in (
        (_ADDRESS, "it holds an address"),
        (_CODE, "it holds code"),
        (_ORDER_INSIDE, "it demands something"),
        (_MACHINE, "it speaks of the machine and not of the task"),
    ):
        if pattern.search(flat):
            return why
    sentences = re.split(r"[.!?]\s+", flat.lower())
    # Without quotation marks, bullets and numbers, which may stand before an order.
    if any(_ORDER.match(sentence.lstrip(" \"'([-*0123456789.)")) for sentence in sentences):
        return "it demands something"
    return ""


def as_key(text: str) -> str:
    """The sentence without case, punctuation and spacing, by which equal claims meet."""
    return " ".join(re.findall(r"[^\W_]+", unicodedata.normalize("NFKC", text).lower()))
