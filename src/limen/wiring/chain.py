"""What is wrong with the routes of a configuration, the first one apart, for a home that no process has opened."""

import msgspec

from limen.builtin.providers import provider_table
from limen.config.load import Loaded
from limen.config.problem import Problem
from limen.core.fault import ConfigFault
from limen.models.chain import chain_of
from limen.models.resolve import Routes, Wishes
from limen.models.tasks import task_problems


def check_chain(loaded: Loaded) -> tuple[Problem, ...]:
    """The findings of `chain_of` and `task_problems` on a configuration. Reaches for no network and no key."""
    try:
        routes = Routes(provider_table(), loaded.config.providers)
    except ConfigFault:
        return ()  # said by whoever opens the home
    try:
        first = routes.resolve(Wishes(configured=loaded.config.model.route))
    except ConfigFault:
        first = None
    return (*chain_of(loaded.config, routes, first)[1], *task_problems(msgspec.to_builtins(loaded.config.auxiliary), routes))
