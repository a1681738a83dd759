"""The collection that several scripts are run on, written once."""

from pathlib import Path

import pytest
from authors_folder import write_folder


@pytest.fixture(scope="session")
def finquant(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in the authors' form: 12 queries, 150 sentences."""
    return write_folder(tmp_path_factory.mktemp("given") / "finquant-small")
