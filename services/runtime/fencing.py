"""Whether another process has taken our place in the group: two with one PITLEDGER_INSTANCE.

aiokafka's heartbeats do not name the instance, so that the broker answers the one that lost its
place as it does one that was away too long; aiokafka joins anew, and so the two would take the
place from each other for ever.

Not every member of our name is another process: an answer to our own join may be lost, or forgotten
when a commit of before is refused behind it. Such a member sends no heartbeats, and the group drops
it after a session; one that stays longer is somebody. (The client's id tells nothing: a broker
keeps that of whoever had the place before.)
"""

import time
from collections.abc import Collection

from kafka.errors import KafkaError

from pitledger.sources.connection import ConnectionFailed, quiet
from services.runtime.settings import Settings

SESSION_S = 6.0
_TIMEOUT_MS = 3_000
_LONGER_S = 2.0
"""Than a session. The broker's own clock for it began when the member joined."""


def is_replaced(settings: Settings, own: Collection[str]) -> bool:
    """Whether another process has our instance in our group; False if nobody can say.

    `own`: member ids that we had ourselves, as far as is known. Blocks for a session where it is
    not clear.
    """
    holder = holder_of_instance(settings, own)
    if not holder:
        return False
    time.sleep(SESSION_S + _LONGER_S)
    return holder_of_instance(settings, own) == holder


def holder_of_instance(settings: Settings, own: Collection[str]) -> str:
    """The member that has our instance in our group; "" for none, or if nobody can say.

    `own`: member ids that we had ourselves. The group keeps the last for a session after we were
    suspended, or cut off.
    """
    try:
        admin = settings.connection.admin(_TIMEOUT_MS)
    except ConnectionFailed:
        return ""
    try:
        with quiet("kafka"):  # it does not know Faust's metadata
            members = admin.describe_groups([settings.group])[settings.group]["members"]
    except (KafkaError, ValueError):  # of the embedded broker's answer that makes no sense
        return ""
    finally:
        admin.close()
    held = (each["member_id"] for each in members if each["group_instance_id"] == settings.instance)
    return next((member for member in held if member not in own), "")
