"""Says again and again that brokers do not answer, and looks why."""

import asyncio

from pitledger.sources.diagnosis import diagnose
from services.runtime import logs
from services.runtime.health import reason
from services.runtime.shell import Shell

TELL_S = 10.0


async def tell_of_silence(shell: Shell) -> None:
    """Until it is cancelled. What is found wrong is part of `/healthz`'s reason meanwhile."""
    log = logs.get("silence")
    while True:
        await asyncio.sleep(TELL_S if shell.silent_partitions() else 1.0)
        if not shell.silent_partitions():
            if shell.found_wrong:
                log.info("Kafka answers again")
            shell.found_wrong = ""
            continue
        finding = await asyncio.to_thread(diagnose, shell.settings.connection)
        shell.found_wrong = finding.reason if finding else "no fault found at the bootstrap servers"
        log.warning("no answer from Kafka", reason=reason(shell))
