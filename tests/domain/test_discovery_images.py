"""What users ask of discovery images beyond their description: room for it, and links that are worthless again."""

import json
import random

import pytest

from builders import INFRA_ENV_ID, NOW, a_policy, an_infra_env
from muster.domain.decide import decide
from muster.domain.errors import Invalid
from muster.domain.inputs.infra_envs import InfraEnvCreate, InfraEnvUpdate
from muster.domain.triggers import RegenerateSigningKey, RegisterInfraEnv, UpdateInfraEnv
from muster.domain.views import View, infra_env_scope

SECRET = '{"auths":{"quay.io":{"auth":"dXNlcjpwYXNz"}}}'
NOISE = "".join(random.Random(7).choices("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", k=400_000))
FILE = {"path": "/etc/big", "contents": {"source": f"data:,{NOISE}"}}
TOO_LONG = json.dumps({"ignition": {"version": "3.1.0"}, "storage": {"files": [FILE]}})


def nothing():
    return View(scope=infra_env_scope(INFRA_ENV_ID), now=NOW, policy=a_policy())


def an_image(**changes):
    return nothing().but(infra_envs={INFRA_ENV_ID: an_infra_env(pull_secret=SECRET, **changes)})


def described(**written):
    inputs = InfraEnvCreate(name="rack", pull_secret=SECRET, **written)
    return RegisterInfraEnv(infra_env_id=INFRA_ENV_ID, inputs=inputs, key="first")


@pytest.mark.parametrize(
    ("view", "asked"),
    [
        (nothing(), described(ignition_config_override=TOO_LONG)),
        (an_image(), UpdateInfraEnv(changes=InfraEnvUpdate(ignition_config_override=TOO_LONG))),
    ],
)
def test_a_description_that_does_not_fit_into_the_image_is_refused(view, asked):
    decision = decide(view, asked)
    (refusal,) = decision.outcomes
    assert isinstance(refusal, Invalid)
    assert "takes 308" in str(refusal)
    assert "there is room for" in str(refusal)
    assert decision.changes == ()


def test_links_are_signed_with_a_key_of_their_own_until_a_user_wants_another():
    decision = decide(nothing(), described())
    assert decision.view.infra_envs[INFRA_ENV_ID].image_token_key == "first"
    decision = decide(decision.view, RegenerateSigningKey(key="second"))
    assert decision.view.infra_envs[INFRA_ENV_ID].image_token_key == "second"
    assert decision.events == ()
