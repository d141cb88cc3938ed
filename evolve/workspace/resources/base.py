"""The base of the parts of a workspace: once that is closed, each answers with an error that names the next step."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from evolve.core.store import closed_error
from evolve.workspace.arguments import check_arguments

P = ParamSpec("P")
T = TypeVar("T")


def offered(method: Callable[Concatenate[Any, P], T]) -> Callable[Concatenate[Any, P], T]:
    """A method of a resource that is a method of its repository, with the same parameters and description.

    The resource names the repository ``_repository``.
    """

    @wraps(method)
    def call(self: Any, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return method(self._repository, *args, **kwargs)

    return call


class Resource:
    """A part of a workspace that a person holds; once that is closed nothing can be had from it, whoever kept it."""

    def __init_subclass__(cls) -> None:
        check_arguments()(cls)

    if not TYPE_CHECKING:  # a checker would take every misspelt name for one that is there

        def __getattribute__(self, name: str) -> Any:
            """What was asked for, as long as the workspace is open."""
            if not name.startswith("__") and _SHUT in object.__getattribute__(self, "__dict__"):
                raise closed_error()
            return object.__getattribute__(self, name)


def close_resource(shelf: Resource) -> None:
    """Closes a shelf for good."""
    vars(shelf)[_SHUT] = True


_SHUT = "_shut"
