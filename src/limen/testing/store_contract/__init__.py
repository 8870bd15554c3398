"""What every store must do, as checks that the author of another store runs over theirs.

A check takes a case and raises AssertionError. With pytest: parametrize a test over `STORE_CHECKS`, make a case with an empty
store for each, and await the check; likewise `HEALTH_CHECKS` with a `HealthCase`, `SPEND_CHECKS` with a `SpendCase`. The session
store of a case masks with the credentials that `SecretTable` knows.
"""

from limen.testing.store_contract.case import StoreCase, StoreCheck, Stores
from limen.testing.store_contract.claims import CLAIM_CHECKS
from limen.testing.store_contract.evidence import EVIDENCE_CHECKS
from limen.testing.store_contract.forks import FORK_CHECKS
from limen.testing.store_contract.health import HEALTH_CHECKS, HealthCase, HealthCheck
from limen.testing.store_contract.library import LIBRARY_CHECKS
from limen.testing.store_contract.refs import REF_CHECKS
from limen.testing.store_contract.searching import SEARCH_CHECKS
from limen.testing.store_contract.sessions import SESSION_CHECKS
from limen.testing.store_contract.spend import SPEND_CHECKS, SpendCase, SpendCheck

__all__ = [
    "HEALTH_CHECKS",
    "SPEND_CHECKS",
    "STORE_CHECKS",
    "HealthCase",
    "HealthCheck",
    "SpendCase",
    "SpendCheck",
    "StoreCase",
    "StoreCheck",
    "Stores",
]

STORE_CHECKS: tuple[StoreCheck, ...] = (
    *SESSION_CHECKS,
    *SEARCH_CHECKS,
    *CLAIM_CHECKS,
    *FORK_CHECKS,
    *EVIDENCE_CHECKS,
    *LIBRARY_CHECKS,
    *REF_CHECKS,
)
