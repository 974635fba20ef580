"""What users add to how a host is installed: arguments of the installer, and Ignition."""

import msgspec
import pytest

from builders import a_cluster, a_host, a_view
from muster.domain.decide import decide
from muster.domain.errors import Invalid, NotFound
from muster.domain.hosts import HostState
from muster.domain.inputs.host_overrides import (
    FLAGS,
    HostIgnition,
    InstallerArgs,
    changed_ignition,
    changed_installer_args,
)
from muster.domain.triggers import ChangeIgnition, ChangeInstallerArgs

HOST = a_host("h1", installer_args=("--copy-network",), ignition_config_overrides="{}")


def args(*written: str):
    return changed_installer_args(HOST, InstallerArgs(args=written)).installer_args


GOOD = [
    (),
    ("--append-karg", "ip=192.0.2.2::192.0.2.254:255.255.255.0:core0.example.com:enp1s0:none"),
    ("--save-partindex", "1", "-n"),
    ("--save-partlabel", "data*"),
    ("--image-url", "https://example.com/a"),
    ("--append-karg", "a[1]{2}(3)'x';\"y\",<z"),
    FLAGS,
]


@pytest.mark.parametrize("written", GOOD, ids=str)
def test_arguments_take_the_place_of_those_before(written):
    assert args(*written) == written


BAD = [
    ("--append-kargs", "cannot be used; write one of --append-karg"),
    ("--append-karg=console=ttyS0", "'--append-karg' cannot be used"),
    ("--insecure", "cannot be used"),
    ("-", "cannot be used"),
    ("", "is empty"),
    ("a b", "has the character ' '"),
    ("a&b", "has the character '&'"),
    ("a|b", "has the character"),
    ("a>b", "has the character '>'"),
    ("a~b", "has the character '~'"),
    ("a\\b", "has the character"),
    ("a\n", "has the character"),
    ("\u00e4", "has the character"),
]


@pytest.mark.parametrize(("argument", "words"), BAD)
def test_arguments_that_cannot_be_passed_on_are_named_by_their_place(argument, words):
    with pytest.raises(Invalid) as error:
        args("-n", argument)
    assert str(error.value).startswith("args[1]: ")
    assert words in str(error.value)


def test_every_bad_argument_is_told_and_no_value_repeated():
    with pytest.raises(Invalid) as error:
        args("--bad", "password=hunter2&")
    assert [line.partition(":")[0] for line in str(error.value).splitlines()] == ["args[0]", "args[1]"]
    assert "hunter2" not in str(error.value)


def test_leaving_them_out_takes_them_away():
    assert changed_installer_args(HOST, msgspec.json.decode("{}", type=InstallerArgs)).installer_args == ()
    assert changed_ignition(HOST, msgspec.json.decode("{}", type=HostIgnition)).ignition_config_overrides == ""


def test_the_same_again_changes_nothing():
    assert changed_installer_args(HOST, InstallerArgs(args=("--copy-network",))) is HOST
    plain = HOST.but(ignition_config_overrides="")
    assert changed_ignition(plain, HostIgnition(config="")) is plain


@pytest.mark.parametrize("version", ["3.1.0", "3.2.0"])
def test_a_configuration_that_can_be_merged_is_taken_as_it_is(version):
    text = f'{{"ignition": {{"version": "{version}"}}, "storage": {{"files": []}}}}'
    assert changed_ignition(HOST, HostIgnition(config=text)).ignition_config_overrides == text


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"ignition": {"version": "2.2.0"}}', '{"ignition": "hunter2"}'])
def test_a_configuration_that_cannot_be_merged_is_refused_and_not_repeated(text):
    with pytest.raises(Invalid, match=r"^config: ") as error:
        changed_ignition(HOST, HostIgnition(config=text))
    assert "hunter2" not in str(error.value)


@pytest.mark.parametrize("status", [HostState.KNOWN, HostState.INSTALLED, HostState.KNOWN_UNBOUND])
def test_both_are_taken_in_any_state_and_told(status):
    view = a_view(a_cluster(), [HOST.but(status=status)])
    config = '{"ignition": {"version": "3.2.0"}}'
    decision = decide(
        view,
        ChangeInstallerArgs(host_id="h1", changes=InstallerArgs(args=("-n",))),
        ChangeIgnition(host_id="h1", changes=HostIgnition(config=config)),
    )
    assert decision.outcomes == (None, None)
    assert (decision.host("h1").installer_args, decision.host("h1").ignition_config_overrides) == (("-n",), config)
    told = [event.name for event in decision.events]
    assert {"host_installer_args_applied", "host_discovery_ignition_config_applied"} <= set(told)


def test_a_host_that_is_not_there_cannot_be_changed():
    decision = decide(a_view(), ChangeInstallerArgs(host_id="h9", changes=InstallerArgs()))
    assert isinstance(decision.outcomes[0], NotFound)
