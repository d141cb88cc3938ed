"""``ws.models``: the language models that decide, and what their endpoints can do."""

from __future__ import annotations

import builtins
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from evolve.core.errors import UsageError
from evolve.core.settings import Settings, load_settings
from evolve.workspace.resources.base import Resource

if TYPE_CHECKING:
    from evolve.core.paths import WorkspacePaths
    from evolve.runtime.models import ProbeReport, Recording


@dataclass(frozen=True, kw_only=True)
class ModelListing:
    """One model that an endpoint lists.

    Attributes:
        input, output: Dollars for a million tokens, or None where the price is not known.
    """

    model: str
    input: float | None
    output: float | None


@dataclass(frozen=True, kw_only=True)
class ModelOffers:
    """What an endpoint lists."""

    base_url: str
    models: tuple[ModelListing, ...]


class Models(Resource):
    """The language models of a workspace.

    Args:
        place: The workspace, which need not be there.
    """

    def __init__(self, place: str | os.PathLike[str] | None) -> None:
        self._place = place

    def chosen(self) -> Mapping[str, str]:
        """The models that the settings name: ``default``, and by role where it is another one."""
        _, settings = self._settings()
        return {role: text for role, text in {"default": settings.model, **settings.role_models}.items() if text}

    def acting_model(self, model: str | None = None) -> str:
        """The model that decides in episodes, or "" for the embedded search; nothing is made to find it out.

        Args:
            model: One that is named instead; "" for none.
        """
        if model is not None:
            return model
        _, settings = self._settings()
        return settings.model or settings.role_models.get("act", "")

    def list(self, model: str | None = None) -> ModelOffers:
        """The models that an endpoint offers, with their prices where they are known.

        Args:
            model: A model of that endpoint, or its address; by default the chosen one.

        Raises:
            UsageError: It names no endpoint.
            EndpointProblem: It cannot be reached or gives no list.
        """
        from evolve.runtime.models import Endpoint, OpenAIWire, Prices, list_offered_models
        from evolve.runtime.models import parse_model as endpoint_of
        from evolve.workspace.model_setup import model_setup

        paths, settings = self._settings()
        text = model or settings.model.split(",")[0] or "any"
        try:
            endpoint = endpoint_of(text, base_url=settings.base_url)
        except UsageError:
            endpoint = endpoint_of(f"{text}#any", base_url=settings.base_url)  # an address alone is enough for a list
        prices = Prices(model_setup(paths, settings).prices)
        wire = OpenAIWire(endpoint)
        try:
            names = list_offered_models(endpoint, wire)
        finally:
            wire.close()
        priced = ((name, prices.price_of(Endpoint(base_url=endpoint.base_url, model=name))) for name in names)
        offers = (
            ModelListing(model=name, input=price.input if price else None, output=price.output if price else None)
            for name, price in priced
        )
        return ModelOffers(base_url=endpoint.base_url, models=tuple(offers))

    def check(self, model: str | Recording | None = None) -> builtins.list[ProbeReport]:
        """Finds out what the endpoints of models can do, and remembers it. This asks them a few small things.

        Args:
            model: One model, or a recording of its exchanges; by default every model that is chosen.

        Raises:
            UsageError: No model is named.
            EndpointProblem: One answers in no way at all.
        """
        from evolve.runtime.models import EndpointModel, Recording, open_models, probe_endpoint
        from evolve.workspace.model_setup import model_setup

        paths, settings = self._settings()
        recording = model if isinstance(model, Recording) else None
        named = recording.model if recording is not None else model
        setup = model_setup(paths, settings, model=named if isinstance(named, str) else None, recording=recording)
        probed = []
        texts = ",".join([setup.model, *setup.roles.values()]).split(",")
        for name in dict.fromkeys([text.strip() for text in texts if text.strip()] or [""]):
            with open_models(replace(setup, model=name, roles={})) as opened:
                acting = opened.model_for("act")
                if isinstance(acting, EndpointModel):
                    probed.append(probe_endpoint(acting.endpoint, acting.services))
        return probed

    def default(self, model: str) -> Path:
        """Chooses the workspace's model; gives the file that says so.

        Args:
            model: Its name, or several from cheap to dear with commas; "" for none.

        Raises:
            UsageError: The text names no model.
            WorkspaceError: The settings are in a pyproject.toml, which is not changed, or cannot be written.
        """
        from evolve.workspace.locating import choose_workspace, confirm
        from evolve.workspace.model_setup import set_default_model
        from evolve.workspace.trust import addresses_in

        paths = choose_workspace(self._place).paths
        load_settings(paths.root)  # settings that are wrong already are told before another is written
        file = set_default_model(paths, model.strip())
        confirm(paths, addresses_in(model))
        return file

    def _settings(self) -> tuple[WorkspacePaths, Settings]:
        from evolve.workspace.locating import trusted_settings, trusted_workspace

        paths = trusted_workspace(self._place)
        return paths, trusted_settings(paths)


def models(path: str | os.PathLike[str] | None = None) -> Models:
    """The language models of a workspace that is not open, and need not be there.

    Args:
        path: As for :func:`evolve.open`.
    """
    return Models(path)
