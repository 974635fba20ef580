"""What can go wrong, named by whose turn it is. One table maps these to HTTP (`api/errors.py`)."""


class MusterError(Exception):
    """An answer that is not the one hoped for; its text is a sentence for the user."""


class Invalid(MusterError):
    """The input cannot be right whatever the state; the text names the field and the way out."""


class BadName(Invalid):
    """Nothing can be called that."""


class NotFound(MusterError):
    """There is no such thing, or the caller may not know of it."""


class Unauthenticated(MusterError):
    """The caller has not shown who it is, or not so that it can be believed."""


class Forbidden(MusterError):
    """The caller may see it but not do this."""


class Refused(MusterError):
    """The input is fine, the present state does not allow it."""


class Unavailable(MusterError):
    """Something outside did not answer; the same call may work later."""


class Broken(MusterError):
    """Something outside answered wrongly; repeating the call will not help."""


class Conflict(MusterError):
    """Someone else committed first; look again and decide again."""


class Finished(Conflict):
    """The work was already done by someone else; there is nothing to decide again."""
