"""The page of a host, for whoever stands before it with a telephone: how it is, what is wrong, what to do.

A page of its own that needs nothing else: no script, no file besides. `api/muster.py` sends it.
"""

from html import escape
from typing import Any

FRESH = 10
"""Seconds after which a page is fetched anew."""

STYLE = (
    "body{font:1rem/1.5 system-ui,sans-serif;max-width:44rem;margin:2rem auto;padding:0 1rem;color:#151515}"
    "h1{margin:0}code{color:#6a6e73}.is{font-size:1.25rem}li{margin:.75rem 0;padding-left:.75rem;"
    "border-left:4px solid #c9190b}.pending{border-color:#f0ab00}ul{list-style:none;padding:0}"
)


def host_page(host: dict[str, Any], cluster: str) -> str:
    """The page of a host that is explained like that, in a cluster of that name, "" if in none."""
    of = f" of cluster <b>{escape(cluster)}</b>" if cluster else ", which belongs to no cluster yet"
    verdicts = "".join(_verdict(each) for each in host["verdicts"])
    wrong = f"<h2>What is to be done</h2><ul>{verdicts}</ul>" if verdicts else "<p>Nothing is wrong with it.</p>"
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f'<meta http-equiv="refresh" content="{FRESH}"><title>{escape(host["name"])} - {escape(host["status"])}</title>'
        f"<style>{STYLE}</style><h1>{escape(host['name'])}</h1><p><code>{escape(host['id'])}</code>{of}</p>"
        f'<p class="is"><b>{escape(host["status"])}</b>: {escape(host["because"])}</p>'
        f"<p>{escape(host['meaning'])}</p>{wrong}</html>\n"
    )


def _verdict(verdict: dict[str, Any]) -> str:
    """One thing that is not as it should be, and the way out."""
    way_out = verdict["evidence"].get("fix", "")
    advice = f"<br>{escape(way_out)}" if way_out else ""
    return (
        f'<li class="{escape(verdict["status"])}"><b>{escape(verdict["message"])}</b>{advice}'
        f"<br><code>{escape(verdict['id'])}</code></li>"
    )
