"""What counts as a missing value in a document or a frame."""

from __future__ import annotations

from typing import Any

import pandas as pd


def is_missing(value: Any) -> bool:
    """Whether a value is None, NaN or pandas' NA; lists and texts, empty ones too, are values."""
    return value is None or (pd.api.types.is_scalar(value) and bool(pd.isna(value)))
