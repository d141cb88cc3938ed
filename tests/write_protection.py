"""Makes folder permissions count for root too, so that write protection can be tested by whoever runs the tests."""

from __future__ import annotations

import ctypes
import os

_PR_CAPBSET_DROP = 24
_CAP_DAC_OVERRIDE = 1


def without_power_over_permissions() -> None:
    """For ``preexec_fn``: the program started next obeys permissions as any user's does."""
    if os.geteuid() == 0 and ctypes.CDLL(None, use_errno=True).prctl(_PR_CAPBSET_DROP, _CAP_DAC_OVERRIDE, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "cannot give up the power to override permissions")
