"""What a machine shows on its console, by the real script in a folder that stands for the machine."""

import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muster.adapters.machine.identity import FILLERS, NAMELESS, SHARED_UUIDS, host_id
from muster.domain.artifacts.banner import script

SERVICE = "https://assisted.example.com"
UUID = "4C4C4544-0042-3510-8051-B4C04F4A4832"


class Console:
    """A machine whose firmware says this of it; what is None it does not say."""

    def __init__(self, folder, service=SERVICE, **firmware):
        self._folder = folder
        dmi = folder / "dmi"
        dmi.mkdir(parents=True)
        for name, text in firmware.items():
            if text is not None:
                (dmi / name).write_bytes(text.encode() + b"\n")
        places = {"DMI": str(dmi), "ETC": str(folder / "etc"), "PATH": "/usr/bin:/bin"}
        self.ended = subprocess.run(
            ["bash"], input=script(service), env=places, text=True, capture_output=True, check=False
        )

    @property
    def shown(self):
        return (self._folder / "etc/issue.d/50-muster.issue").read_text()

    @property
    def to_those_who_log_in(self):
        return (self._folder / "etc/motd.d/50-muster").read_text()


def test_a_machine_tells_to_whom_it_reports_and_where_its_page_is(tmp_path):
    console = Console(tmp_path, product_uuid=UUID)
    assert console.ended.returncode == 0
    assert f"reports to {SERVICE}\n" in console.shown
    assert f"host {UUID.lower()}, and its page is {SERVICE}/h/{UUID[:8].lower()}\n" in console.shown
    assert console.to_those_who_log_in == console.shown


def test_a_machine_of_which_nothing_is_known_tells_to_whom_it_reports(tmp_path):
    console = Console(tmp_path)
    assert (console.ended.returncode, console.ended.stderr) == (0, "")
    assert f"reports to {SERVICE}\n" in console.shown
    assert "/h/" not in console.shown
    assert "journalctl --tag agent" in console.shown


def test_an_address_with_odd_characters_is_shown_as_it_is(tmp_path):
    assert "reports to http://it's$HOME\n" in Console(tmp_path, "http://it's$HOME").shown


def shown_id(console):
    return console.shown.partition("It is host ")[2].partition(",")[0] or NAMELESS


@pytest.mark.parametrize("serial", [*sorted(FILLERS), "To Be Filled By O.E.M.", " CN7016 ", "a'b\"c", None])
@pytest.mark.parametrize("product", [UUID, *sorted(SHARED_UUIDS), "nonsense", None])
def test_the_id_is_the_one_that_the_agent_will_report_with(tmp_path, serial, product):
    console = Console(tmp_path, board_serial=serial, product_uuid=product)
    assert shown_id(console) == host_id(serial or "", product or "", ())


@settings(max_examples=25, deadline=None)
@given(serial=st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=40))
def test_any_serial_number_makes_the_same_id_here_and_there(tmp_path_factory, serial):
    console = Console(tmp_path_factory.mktemp("machine"), board_serial=serial)
    assert shown_id(console) == host_id(serial, "", ())
