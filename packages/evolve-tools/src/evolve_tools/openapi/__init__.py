"""Services that an OpenAPI file describes (3.0 and 3.1): each operation as a function.

The file may come from a stranger. Nothing in it says where requests go, nothing that it refers to is fetched, and an
operation of which anything is not understood is not offered. Libraries for such files check requests that were made and
build none, so requests are built here.
"""

from __future__ import annotations

from evolve_tools.openapi.service import Service

__all__ = ["Service"]
