"""System images as files: their names, their turns, and what is told to whoever wants one too early."""

from datetime import timedelta

import pytest

from builders import NOW
from muster.domain.base_images import (
    BaseImage,
    Coming,
    State,
    base_image,
    distinct,
    file_name,
    missing_room,
    not_there,
    own_path,
    progress,
    shown,
    unused,
    wait_before,
)
from muster.domain.errors import Broken, NotFound, Unavailable
from muster.domain.releases import OsImage

MB = 1_000_000
IMAGE = OsImage(openshift_version="4.18", version="418.94.1-0", url="https://mirror/live.iso")


def standing(state: State, **facts: object) -> BaseImage:
    return base_image(IMAGE).but(state=state, **facts)


def test_files_are_called_as_the_original_calls_them():
    assert file_name(IMAGE) == "rhcos-full-iso-418.94.1-0-x86_64.iso"
    assert file_name(IMAGE, "minimal-iso") == "rhcos-minimal-iso-418.94.1-0-x86_64.iso"
    assert file_name(IMAGE.but(type="disconnected-iso")) == "rhcos-disconnected-iso-418.94.1-0-x86_64.iso"


def test_of_images_with_one_file_the_one_for_the_latest_version_stays():
    versions = ("4.9", "4.18", "4.10")
    images = [IMAGE.but(openshift_version=each) for each in versions]
    others = [IMAGE.but(cpu_architecture="arm64"), IMAGE.but(type="disconnected-iso"), IMAGE.but(version="2")]
    assert distinct([*images, *others]) == (images[1], *others)


@pytest.mark.parametrize(
    ("url", "path", "seen"),
    [
        ("https://me:hush@mirror:8080/a/live.iso?key=hush#x", "", "https://mirror:8080/a/live.iso"),
        ("http://mirror/live.iso", "", "http://mirror/live.iso"),
        ("file:///srv/a%20b/live.iso", "/srv/a b/live.iso", "/srv/a b/live.iso"),
        ("/srv/live.iso", "/srv/live.iso", "/srv/live.iso"),
        ("images/live.iso", "images/live.iso", "images/live.iso"),
        ("", "", ""),
    ],
)
def test_an_address_tells_where_the_image_is_and_nothing_secret(url, path, seen):
    assert (own_path(url), shown(url)) == (path, seen)


def test_files_that_no_image_has_are_those_that_look_like_one():
    kept = [file_name(IMAGE), f"{file_name(IMAGE)}.part.json", f"{file_name(IMAGE, 'minimal-iso')}.lock"]
    stray = ["nmstatectl-1-x86_64", "rhcos-full-iso-1-x86_64.iso", "rhcos-full-iso-1-x86_64.iso.part"]
    assert unused([*stray, *kept, "muster.db", "notes.json"], [IMAGE]) == tuple(stray)


def test_room_is_needed_for_the_rest_of_an_image_and_a_minimal_one():
    assert missing_room(left=800 * MB, size=800 * MB, free=900 * MB) == ""
    assert missing_room(left=400 * MB, size=800 * MB, free=412 * MB) == (
        "there is not enough room: 400 MB are still to come and 100 MB are for the minimal image, but only 412 MB are "
        "free; free another 88 MB"
    )


@pytest.mark.parametrize(
    ("attempt", "luck", "seconds"), [(0, 1, 5), (1, 1, 5), (1, 0, 2.5), (2, 1, 10), (7, 1, 300), (99, 0.5, 225)]
)
def test_waits_grow_up_to_five_minutes_and_differ_by_luck(attempt, luck, seconds):
    assert wait_before(attempt, luck) == timedelta(seconds=seconds)


@pytest.mark.parametrize(
    ("image", "told", "seconds"),
    [
        (standing(State.WAITING), "is about to be downloaded; try again in a minute", 60),
        (standing(State.CHECKING, fetched=5, size=5, rate=1.0), "is being checked; try again in a minute", 60),
        (standing(State.FETCHING), "is being downloaded: 0.0 MB so far; try again in a minute", 60),
        (
            standing(State.FETCHING, fetched=412 * MB, size=1140 * MB, rate=4.0 * MB),
            "is being downloaded: 412 of 1140 MB; try again in 4 minutes",
            182,
        ),
        (
            standing(State.FETCHING, fetched=1_000_000, size=2_500_000, rate=1.0 * MB),
            "is being downloaded: 1.0 of 2.5 MB; try again in 2 seconds",
            2,
        ),
        (
            standing(State.FETCHING, fetched=MB, size=MB, rate=1.0 * MB),
            "is being downloaded: 1.0 of 1.0 MB; try again in a second",
            1,
        ),
        (
            standing(State.FAILED, reason="the server is down", retry_at=NOW + timedelta(seconds=40)),
            "is not there: the server is down. It is tried again in 40 seconds",
            40,
        ),
        (
            standing(State.FAILED, reason="the server is down", retry_at=NOW - timedelta(seconds=40)),
            "is not there: the server is down. It is tried again in a second",
            1,
        ),
    ],
)
def test_who_wants_an_image_too_early_is_told_how_it_stands_and_when_to_come_back(image, told, seconds):
    error = not_there(image, NOW)
    assert isinstance(error, Coming)
    assert isinstance(error, Unavailable)
    assert (str(error), error.seconds) == (f"System image 4.18 (x86_64) {told}", seconds)


def test_who_wants_an_image_that_never_comes_is_told_so():
    broken = not_there(standing(State.FAILED, reason="it is a web page"), NOW)
    absent = not_there(standing(State.ABSENT, reason="nobody has it"), NOW)
    assert isinstance(broken, Broken)
    assert isinstance(absent, NotFound)
    assert str(broken) == (
        "System image 4.18 (x86_64) cannot be used: it is a web page. Put it right and restart the service"
    )
    assert str(absent) == "There is no file of system image 4.18 (x86_64): nobody has it"


def test_progress_is_told_in_the_words_of_people():
    assert progress(11 * MB, None) == "11 MB so far"
    assert progress(9_940_000, 11 * MB) == "9.9 of 11 MB"
