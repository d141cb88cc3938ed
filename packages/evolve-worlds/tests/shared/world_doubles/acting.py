"""The task of the vault, and code that makes moves."""

from __future__ import annotations

from evolve.tasks import Task
from evolve_worlds.environment import WorldWork

WORK = WorldWork(world="vault", task="open", variation=0)


def task(work=WORK):
    return Task(id="vault-0", family="vault/open", instruction="open the chest", examples=(), work=work)


def act_all(*moves):
    return "from functions import act\n" + "\n".join(f"print(act({move!r}))" for move in moves)
