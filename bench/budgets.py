"""Prints what the service costs beside what it may cost; `make bench` runs it."""
import asyncio, sys
from pathlib import Path
sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from load import measured
from service import prepared
import uvloop
for kind in sys.argv[2:]:
    with prepared(kind) as s:
        f = uvloop.run(measured(s, int(sys.argv[1])))
        print(kind, {k: round(v,3) for k,v in f.items()})
