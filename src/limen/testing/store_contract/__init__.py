"""What every store must do, as checks that the author of another store runs over theirs.

A check takes a `StoreCase` and raises AssertionError. With pytest: parametrize a test over `STORE_CHECKS`, make a case with an
empty store for each, and await the check. The session store of a case masks with the credentials that `SecretTable` knows.
"""

from limen.testing.store_contract.case import StoreCase, StoreCheck, Stores
from limen.testing.store_contract.claims import CLAIM_CHECKS
from limen.testing.store_contract.evidence import EVIDENCE_CHECKS
from limen.testing.store_contract.forks import FORK_CHECKS
from limen.testing.store_contract.library import LIBRARY_CHECKS
from limen.testing.store_contract.refs import REF_CHECKS
from limen.testing.store_contract.searching import SEARCH_CHECKS
from limen.testing.store_contract.sessions import SESSION_CHECKS

__all__ = ["STORE_CHECKS", "StoreCase", "StoreCheck", "Stores"]

STORE_CHECKS: tuple[StoreCheck, ...] = (
    *SESSION_CHECKS,
    *SEARCH_CHECKS,
    *CLAIM_CHECKS,
    *FORK_CHECKS,
    *EVIDENCE_CHECKS,
    *LIBRARY_CHECKS,
    *REF_CHECKS,
)
