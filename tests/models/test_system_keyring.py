import time

import pytest

from limen.core.fault import ModelFault
from limen.models.system_keyring import SystemKeyring

pytestmark = pytest.mark.anyio


class Locked(Exception):
    pass


def having(passwords):
    return SystemKeyring(lambda: (lambda service, user: passwords.get((service, user)), Locked))


async def test_a_service_and_a_name_lead_to_the_key():
    ring = having({("openai", "mine/team"): "secret-1"})
    assert await ring("openai/mine/team") == "secret-1"
    assert await ring("openai/home") is None


async def test_without_the_package_it_is_said_how_to_get_it():
    def missing():
        raise ImportError("No module named 'keyring'")

    with pytest.raises(ModelFault, match="needs the package") as caught:
        await SystemKeyring(missing)("a/b")
    assert caught.value.mend == "pip install 'limen-agent[keyring]'"


async def test_a_locked_keyring_is_said_by_its_kind_alone():
    def get(service, user):
        raise Locked("the secret is hunter2")

    with pytest.raises(ModelFault, match=r"did not give keyring:a/b \(Locked\)") as caught:
        await SystemKeyring(lambda: (get, Locked))("a/b")
    assert "hunter2" not in str(caught.value)


async def test_one_that_never_answers_is_left():
    def get(service, user):
        time.sleep(0.3)

    with pytest.raises(ModelFault, match="within"):
        await SystemKeyring(lambda: (get, Locked), deadline_s=0.05)("a/b")
