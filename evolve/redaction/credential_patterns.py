"""Patterns of well-known credentials, which are secret wherever they come from."""

from __future__ import annotations

import re
from collections.abc import Mapping

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
