"""The simulated casino floor: tables of both games whose devices and people write facts.

    floor = Floor(seed, tables, games, rates, rounds=N)      # rates: CLEAN, ORDINARY, FAULTY
    while not floor.done:
        for fact in floor.step(now_us):                      # or each script of floor.scripts
            ... append fact.value with fact.headers under fact.key to the journal, in the partition
                of fact.table_id (fact.astray: in any other)
        for each record that is new on the journal:
            floor.observe(key, headers, value)               # decisions and holds are read

It does no I/O and has no clock: times are the caller's (microseconds since 1970, close to the
broker's). A table waits for what it needs to know (the close, the deal, the payout, answers); a
step then returns nothing, and `script.wake_us` says until when it is patient. The same seed, times
and decisions give the same bytes. A table that a person holds opens no round and closes none until
it is released; with the gaming day it closes all the same.

All facts of a step are to be on the journal before the table's next step. Within a step the facts
of one `lane` (console, supervisor, a patron) go one after the other, lanes are independent.

    faults.py             how often people and devices misbehave: all rates
    terms.py              what one table is
    table.py              the public script of one table
    round_script.py       one round; supervisor.py its troubles; patrons.py wagers and splits
    shoe.py               shuffle and reading; pen.py facts, ids, bytes
    noise.py, forgery.py  what comes in between
    live.py, __main__.py  the floor on a broker, and its measurements
"""
