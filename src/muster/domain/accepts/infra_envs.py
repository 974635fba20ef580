"""What users ask of discovery images."""

from muster.domain import events
from muster.domain.artifacts.discovery_ignition import room_problems
from muster.domain.draft import Accepts, Draft
from muster.domain.effects import GiveUpHosts
from muster.domain.errors import Invalid
from muster.domain.inputs.fields import require_none
from muster.domain.inputs.infra_envs import changed_infra_env, new_infra_env
from muster.domain.triggers import DeleteInfraEnv, RegenerateSigningKey, RegisterInfraEnv, UpdateInfraEnv


def register(draft: Draft, asked: RegisterInfraEnv) -> None:
    """A new discovery image."""
    infra_env = new_infra_env(
        asked.inputs,
        infra_env_id=asked.infra_env_id,
        owner=asked.owner,
        now=draft.view.now,
        policy=draft.view.policy,
        cluster=asked.cluster,
        networks=asked.networks,
    )
    require_none(room_problems(infra_env, draft.view.policy))
    draft.put(infra_env.but(image_token_key=asked.key, **asked.ownership))
    draft.tell(events.infra_env_registered(infra_env))
    draft.tell(events.image_info_updated(infra_env))


def update(draft: Draft, asked: UpdateInfraEnv) -> None:
    """The same image, described differently."""
    before = draft.infra_env
    after = changed_infra_env(before, asked.changes, draft.view.policy, asked.cluster, asked.networks)
    require_none(room_problems(after, draft.view.policy))
    draft.put(after)
    if after is not before:
        draft.tell(events.image_info_updated(after))


def regenerate_key(draft: Draft, asked: RegenerateSigningKey) -> None:
    """Links to the image are signed with another key from now on."""
    draft.put(draft.infra_env.but(image_token_key=asked.key))


def delete(draft: Draft, _: DeleteInfraEnv) -> None:
    """Given up, unless hosts were started from it."""
    infra_env = draft.infra_env
    if draft.view.tenants:
        raise Invalid(
            f"Infra-env {infra_env.name} still has {draft.view.tenants} hosts; delete or unbind them before it"
        )
    give_up(draft)


def give_up(draft: Draft) -> None:
    """Given up, with whatever hosts it has."""
    infra_env = draft.infra_env
    draft.put(infra_env.but(deleted=True))
    # A host may be registering right now, in a scope of its own. From here on none can; what came before goes too.
    draft.start(GiveUpHosts(infra_env_id=infra_env.id))
    draft.tell(events.infra_env_deregistered(infra_env))


ACCEPTS: Accepts = {
    RegisterInfraEnv: register,
    UpdateInfraEnv: update,
    RegenerateSigningKey: regenerate_key,
    DeleteInfraEnv: delete,
}
