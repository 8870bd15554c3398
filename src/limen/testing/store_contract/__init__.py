"""What every store must do, as checks that the author of another store runs over theirs.

A check takes a `StoreCase` and raises AssertionError. With pytest: parametrize a test over `STORE_CHECKS`, make a case with an
empty store for each, and await the check.
"""

from limen.testing.store_contract.case import StoreCase, StoreCheck, Stores
from limen.testing.store_contract.claims import CLAIM_CHECKS
from limen.testing.store_contract.forks import FORK_CHECKS

__all__ = ["STORE_CHECKS", "StoreCase", "StoreCheck", "Stores"]

STORE_CHECKS: tuple[StoreCheck, ...] = (*CLAIM_CHECKS, *FORK_CHECKS)
