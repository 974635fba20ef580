"""The one door for change: look at what is known, decide, write it down, tell those who listen.

Faces call `submit` to change something and `view` to read. Views of scopes are kept in memory with their
version; a commit is checked against it, so a stale view costs a second look and nothing else.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from datetime import datetime

from muster.domain.decide import decide
from muster.domain.draft import Decision
from muster.domain.errors import Conflict, Finished, NotFound
from muster.domain.events import Event
from muster.domain.infra_envs import InfraEnv
from muster.domain.policy import Policy
from muster.domain.record import Record, all_alike
from muster.domain.triggers import Ticked, Trigger
from muster.domain.views import View, cluster_scope, scope_of
from muster.ports import Bus, Change, Clock, Commit, Committed, Store, Stored

from .presence import Presence

ATTEMPTS = 20
"""How often a decision is made anew because someone else was faster; reaching this is a fault."""

LARGEST_BATCH = 128
"""How many triggers are taken together at most."""

KEPT_VIEWS = 20_000


class Sender(Record):
    """Who causes a change, and by which request."""

    actor: str = "system"
    request_id: str = ""


SYSTEM = Sender()


class Ticket:
    """A trigger on its way through the door."""

    __slots__ = ("answer", "beside", "finishes", "sender", "trigger")

    def __init__(self, trigger: Trigger, sender: Sender, finishes: str, beside: tuple[str, ...]) -> None:
        self.trigger = trigger
        self.sender = sender
        self.finishes = finishes
        self.beside = beside
        self.answer: asyncio.Future[Decision] = asyncio.get_running_loop().create_future()


class Known:
    """A settled view, and the versions of other scopes that it rests on."""

    __slots__ = ("reads", "view")

    def __init__(self, view: View, reads: dict[str, int]) -> None:
        self.view = view
        self.reads = reads


class Engine:
    """Decides for every scope, one batch of triggers at a time."""

    def __init__(self, store: Store, bus: Bus, clock: Clock, policy: Policy) -> None:
        self.store = store
        self.bus = bus
        self.clock = clock
        self.policy = policy
        self.presence = Presence(store)
        self.on_commit: list[Callable[[Commit], None]] = []
        self._known: OrderedDict[str, Known] = OrderedDict()
        self._reading: dict[str, asyncio.Task[Known | None]] = {}
        self._overtaken: set[str] = set()
        """Scopes of which there was news while they were being read."""
        self._readers: dict[str, set[str]] = {}
        """By infra-env, the scopes whose views may hold it."""
        self._miscounted: set[str] = set()
        """Infra-envs whose hosts have to be counted anew before something is decided about them."""
        self._handed_on: tuple[Committed | None, frozenset[str]] = (None, frozenset())
        """The last commit of ours, and the scopes whose views were brought up to date with it."""
        self._waiting: dict[str, list[Ticket]] = {}
        self._running: dict[str, asyncio.Task[None]] = {}
        self._unsubscribe = bus.subscribe(self._hear)

    async def submit(
        self,
        scope: str,
        trigger: Trigger,
        sender: Sender = SYSTEM,
        *,
        finishes: str = "",
        beside: tuple[str, ...] = (),
    ) -> Decision:
        """Let something happen to a scope, looking at others beside it. Raises what the trigger was refused with."""
        ticket = Ticket(trigger, sender, finishes, beside)
        self._waiting.setdefault(scope, []).append(ticket)
        if scope not in self._running:
            self._running[scope] = asyncio.create_task(self._work(scope))
        return await ticket.answer

    async def view(self, scope: str) -> View:
        """A scope as it stands. Raises `NotFound` if there is no such scope."""
        known = await self._look(scope)
        if known is None or known.view.version == 0:
            raise NotFound(f"There is no {scope.replace(':', ' ')}")
        return known.view

    async def glance(self, scope: str) -> View:
        """A scope as it stands, for those who look at very many: what is not in mind already is not kept there."""
        known = self._known.get(scope)
        if known is not None and known.view.version:
            return known.view
        stored = await self.store.load(scope)
        if stored is None:
            raise NotFound(f"There is no {scope.replace(':', ' ')}")
        return self._seen(scope, stored)

    async def remembered(self, scope: str) -> View:
        """A scope as it stands, given up or not, with the hosts that were given up in it; to be read only."""
        stored = await self.store.load(scope, gone=True)
        if stored is None:
            raise NotFound(f"There is no {scope.replace(':', ' ')}")
        return self._seen(scope, stored)

    def forget(self, *scopes: str) -> None:
        """Read these scopes anew when they are next looked at."""
        for scope in scopes:
            self._known.pop(scope, None)

    def present(self, view: View) -> View:
        """A view with the latest word on when each of its hosts was heard of."""
        return view.but(presence=self.presence.of(view))

    async def close(self) -> None:
        """Finish what is under way and let go."""
        self._unsubscribe()
        if self._running:
            await asyncio.gather(*self._running.values(), return_exceptions=True)
        await self.presence.flush()

    async def _work(self, scope: str) -> None:
        """Take what waits for a scope until nothing waits any more."""
        try:
            while tickets := self._waiting.pop(scope, None):
                for start in range(0, len(tickets), LARGEST_BATCH):
                    await self._take(scope, tickets[start : start + LARGEST_BATCH])
        finally:
            del self._running[scope]

    async def _take(self, scope: str, tickets: list[Ticket]) -> None:
        """Decide and commit a batch. An effect's answer goes alone: it stands or falls with its own row."""
        batches = [[ticket] for ticket in tickets] if any(each.finishes for each in tickets) else [tickets]
        for batch in batches:
            try:
                decision = await self._decide(scope, batch)
            except Exception as error:  # noqa: BLE001 - whoever waits for the answer gets the fault, not this loop
                _answer_all(batch, error)
            else:
                _answer_each(batch, decision)

    async def _decide(self, scope: str, batch: list[Ticket]) -> Decision:
        fresh = False
        if scope in self._miscounted:
            self.forget(scope)
        for _ in range(ATTEMPTS):
            fresh = fresh or scope not in self._known
            known = await self._look(scope)
            beside = {name: await self._look(name) for ticket in batch for name in ticket.beside}
            now = self.clock.now()
            before = self._at(scope, known, now).but(
                beside={name: other.view for name, other in beside.items() if other is not None}
            )
            decision = decide(before, *(ticket.trigger for ticket in batch))
            if not fresh and not decision.changed and any(decision.outcomes):
                # News of another replica may be on its way: nothing is refused for what was true a moment ago.
                self.forget(scope)
                fresh = True
                continue
            if not decision.changed and not batch[0].finishes:
                await self._keep(known, decision, batch)
                return decision
            try:
                await self._commit(scope, known, beside, decision, batch)
            except Finished:
                raise
            except Conflict:
                self.forget(scope, *beside)
                continue
            return decision
        raise Conflict(f"{scope} changes faster than it can be decided about; try again")

    async def _look(self, scope: str) -> Known | None:
        return self._known.get(scope) or await self._load(scope)

    def _at(self, scope: str, known: Known | None, now: datetime) -> View:
        if known is None:
            return View(scope=scope, now=now, policy=self.policy)
        return known.view.but(now=now, presence=self.presence.of(known.view))

    async def _keep(self, known: Known | None, decision: Decision, batch: list[Ticket]) -> None:
        """Nothing to write; but what was judged is worth keeping, and a deadline that came needs a successor."""
        if known is None or known.view.version == 0:
            return
        view = decision.view.but(beside={})
        self._known[view.scope] = Known(view, known.reads)
        if any(isinstance(ticket.trigger, Ticked) for ticket in batch):
            await self.store.set_deadline(view.scope, view.version, decision.deadline)

    async def _commit(
        self,
        scope: str,
        known: Known | None,
        beside: dict[str, Known | None],
        decision: Decision,
        batch: list[Ticket],
    ) -> None:
        looked_at = {name: other.view.version for name, other in beside.items() if other is not None}
        commit = Commit(
            scope=scope,
            version=known.view.version if known else 0,
            reads=(known.reads if known else {}) | looked_at,
            at=decision.view.now,
            actor=batch[0].sender.actor,
            request_id=batch[0].sender.request_id,
            triggers=tuple(dict.fromkeys(type(ticket.trigger).__name__ for ticket in batch)),
            changes=tuple(Change(old=old, new=new) for old, new in decision.changes),
            events=await self._worth_telling(decision.events, decision.view.now),
            effects=decision.effects,
            finished_effect=batch[0].finishes,
            deadline=decision.deadline,
            live=_lives(decision.view),
            forgotten=decision.forgotten,
        )
        news = await self.store.commit(commit)
        if commit.forgotten:
            self.forget(scope)
        else:
            view = _at_home(decision.view).but(version=news.version)
            self._remember(Known(view, known.reads if known else {}))
        self._handed_on = news, self._hand_on(commit, news)
        for hear in self.on_commit:
            hear(commit)
        await self.bus.publish(news)

    def _hand_on(self, commit: Commit, news: Committed) -> frozenset[str]:
        """Put new infra-envs into the views of their clusters, so that these need not be read again for that alone."""
        handed_on = set()
        added = [change.new for change in commit.changes if change.old is None]
        for new in (each for each in added if isinstance(each, InfraEnv)):
            owner = cluster_scope(new.cluster_id or "")
            known = self._known.get(owner)
            if known is not None:
                view = known.view.but(infra_envs={**known.view.infra_envs, new.id: new})
                self._remember(Known(view, {**known.reads, commit.scope: news.version}))
                handed_on.add(owner)
        return frozenset(handed_on)

    async def tell(self, event: Event) -> None:
        """Keep an event that belongs to no decision, unless the like of it was told lately."""
        for each in await self._worth_telling((event,), self.clock.now()):
            await self.store.add_event(each)

    async def _worth_telling(self, events: tuple[Event, ...], now: datetime) -> tuple[Event, ...]:
        """The events without those of which the like was told too lately.

        A commit stands only if nobody else has changed its scope since it was decided on, so two replicas cannot both
        find the same thing worth telling.
        """
        kept: list[Event] = []
        for event in events:
            apart = self.policy.event_limit(event.name)
            if apart is None or not (
                any(each.alike == event.alike for each in kept) or await self.store.told_since(event, now - apart)
            ):
                kept.append(event)
        return tuple(kept)

    async def _load(self, scope: str) -> Known | None:
        """Read a scope; whoever wants the same meanwhile waits for the same reading."""
        reading = self._reading.get(scope)
        if reading is None:
            reading = self._reading[scope] = asyncio.create_task(self._read(scope))
            reading.add_done_callback(lambda _: self._reading.pop(scope))
        return await asyncio.shield(reading)

    async def _read(self, scope: str) -> Known | None:
        """Read a scope, and again if there was news of it while it was being read."""
        known: Known | None = None
        for _ in range(ATTEMPTS):
            self._overtaken.discard(scope)
            known = await self._fetch(scope)
            if scope not in self._overtaken:
                break
        return known

    async def _fetch(self, scope: str) -> Known | None:
        self._miscounted.discard(scope)
        stored = await self.store.load(scope)
        if stored is None or scope in self._overtaken:
            return None
        view = self._seen(scope, stored)
        known, newer = Known(view, stored.reads), self._known.get(scope)
        # While this was being read, a commit may have made, and remembered, a later version.
        if newer is not None and newer.view.version >= view.version:
            return newer
        self._remember(known)
        return known

    def _seen(self, scope: str, stored: Stored) -> View:
        """What is stored of a scope, looked at now."""
        self.presence.learn(stored.presence)
        return View(
            scope=scope,
            version=stored.version,
            now=self.clock.now(),
            policy=self.policy,
            cluster=stored.cluster,
            hosts=all_alike(stored.hosts),
            infra_envs=stored.infra_envs,
            tenants=stored.tenants,
            needed=stored.needed,
            heard_at=stored.heard_at,
        )

    def _remember(self, known: Known) -> None:
        scope = known.view.scope
        self._known[scope] = known
        self._known.move_to_end(scope)
        for read in known.reads:
            self._readers.setdefault(read, set()).add(scope)
        while len(self._known) > KEPT_VIEWS:
            self._known.popitem(last=False)

    def _hear(self, news: Committed | None) -> None:
        """Forget what others have changed; None means that anything may have changed."""
        if news is None:
            self._known.clear()
            self._readers.clear()
            self._overtaken.update(self._reading)
            return
        self._overtaken.update(each for each in (news.scope, *news.touches) if each in self._reading)
        self._miscounted.update(each for each in news.counts if each in self._known or each in self._reading)
        mine = self._known.get(news.scope)
        if mine is not None and mine.view.version < news.version:
            del self._known[news.scope]
        outdated = set(news.touches)
        if news.scope.startswith("infra-env:"):
            self._overtaken.update(self._reading)
            outdated |= self._still_reading(news.scope)
        told, handed_on = self._handed_on
        self.forget(*(outdated - handed_on if news is told else outdated))

    def _still_reading(self, infra_env: str) -> set[str]:
        """The scopes whose views, as they are known now, hold an infra-env."""
        known = {each: self._known.get(each) for each in self._readers.pop(infra_env, ())}
        readers = {scope for scope, each in known.items() if each is not None and infra_env in each.reads}
        if readers:
            self._readers[infra_env] = readers
        return readers


def _at_home(view: View) -> View:
    """A view without the hosts that have moved to another scope, and without what was looked at beside it."""
    hosts = {key: host for key, host in view.hosts.items() if scope_of(host) == view.scope}
    return view.but(beside={}, hosts=view.hosts if len(hosts) == len(view.hosts) else hosts)


def _lives(view: View) -> bool:
    """Whether the scope's own record is still wanted."""
    kind = view.scope.partition(":")[0]
    if kind == "cluster":
        return view.cluster is not None and view.cluster.deleted_at is None
    if kind == "host":
        return bool(view.living)
    return any(not each.deleted for each in view.infra_envs.values())


def _answer_each(batch: list[Ticket], decision: Decision) -> None:
    for ticket, refusal in zip(batch, decision.outcomes, strict=True):
        if ticket.answer.done():
            continue
        if refusal is None:
            ticket.answer.set_result(decision)
        else:
            ticket.answer.set_exception(refusal)


def _answer_all(batch: list[Ticket], error: Exception) -> None:
    for ticket in batch:
        if not ticket.answer.done():
            ticket.answer.set_exception(error)
