"""Figures are written as Prometheus reads them and as dashboards know them."""

from prometheus_client.parser import text_string_to_metric_families

from muster.runtime.meters import Histogram, Meter, text_of


def test_a_counter_is_called_what_it_is_called():
    meter = Meter("counter", "things", "Things that came", ("kind", "result"))
    meter.add("a", "ok")
    meter.add("a", "ok", by=2)
    meter.add("b", "ok", by=0.5)
    assert text_of([meter]).decode() == (
        "# HELP things Things that came\n"
        "# TYPE things counter\n"
        'things{kind="a",result="ok"} 3\n'
        'things{kind="b",result="ok"} 0.5\n'
    )


def test_what_has_no_labels_is_nought_from_the_start_and_what_has_is_not_there_before_it_is_counted():
    assert text_of([Meter("counter", "all", "All")]).endswith(b"\nall 0\n")
    assert text_of([Meter("counter", "some", "Some", ("kind",))]) == b""
    assert text_of([Histogram("some", "Some", ("kind",), buckets=(1,))]) == b""
    assert b"all_count 0\n" in text_of([Histogram("all", "All", buckets=(1,))])


def test_a_gauge_is_what_it_was_set_to_last():
    meter = Meter("gauge", "room", "Room left", ("folder",))
    meter.set(5, "a")
    meter.set(7.25, "a")
    meter.add("a", by=-1)
    assert text_of([meter]).endswith(b'room{folder="a"} 6.25\n')


def test_a_histogram_counts_up_to_every_limit():
    meter = Histogram("took", "How long it took", ("kind",), buckets=(0.5, 1, 10))
    for amount in (0.5, 0.75, 3, 3, 99):
        meter.observe(amount, "a")
    assert text_of([meter]).decode() == (
        "# HELP took How long it took\n"
        "# TYPE took histogram\n"
        'took_bucket{kind="a",le="0.5"} 1\n'
        'took_bucket{kind="a",le="1"} 2\n'
        'took_bucket{kind="a",le="10"} 4\n'
        'took_bucket{kind="a",le="+Inf"} 5\n'
        'took_sum{kind="a"} 106.25\n'
        'took_count{kind="a"} 5\n'
    )


def test_labels_may_be_anything():
    meter = Meter("counter", "things", "Things", ("kind",))
    odd = 'a"b\\c\nd'
    meter.add(odd)
    (family,) = text_string_to_metric_families(text_of([meter]).decode())
    assert family.samples[0].labels == {"kind": odd}
