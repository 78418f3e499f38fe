"""Ends a processor whose topic was deleted and made anew under it, or was given more partitions.

What it remembers of rounds is the old topic's. What it has committed in the new one before it
looked stands there: docs/operations.md says what to do.
"""

import asyncio

from pitledger.sources.connection import ConnectionFailed
from pitledger.sources.environment import SettingError
from services.runtime import logs
from services.runtime.same_topic import MadeAnew, MorePartitions, SameTopic
from services.runtime.shell import BAD_SETTINGS, Shell

LOOK_S = 10.0
TIMEOUT_MS = 3_000
"""Of connection and request: the end of the process waits for the answer."""


async def end_if_made_anew(shell: Shell, known: asyncio.Event) -> None:
    """Until it is cancelled. `known`: set once the topic's id is.

    Brokers that do not answer are told of elsewhere (`silence.py`).
    """
    topic: SameTopic | None = None
    while True:
        try:
            if topic is None:
                topic = await asyncio.to_thread(SameTopic, shell.settings.connection, TIMEOUT_MS)
                known.set()
                logs.get("topic").info("the topic", id=topic.id)
            else:
                await asyncio.to_thread(topic.require)
        except MadeAnew as problem:
            shell.die(str(problem))
        except MorePartitions as problem:
            shell.die(str(problem), code=BAD_SETTINGS)
        except (ConnectionFailed, SettingError):  # certificates may be half replaced
            pass
        await asyncio.sleep(LOOK_S)
