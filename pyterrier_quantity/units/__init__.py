"""Find units in texts, look up units by spelling, and convert values between units."""

from pyterrier_quantity.english.nouns import singular
from pyterrier_quantity.units.model import UnitFileError, UnitMatch, UnknownUnitError
from pyterrier_quantity.units.registry import UnitRegistry, default_registry

__all__ = ["UnitFileError", "UnitMatch", "UnitRegistry", "UnknownUnitError", "default_registry", "singular"]
