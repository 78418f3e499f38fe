"""The chaos run: a cluster, two workers a processor, readers, a floor, and faults from one seed.

    python -m tests.chaos --seed 1 --minutes 5 --report docs/chaos-report.md

    schedule.py       what goes wrong when: a pure function of the seed
    processes.py      children of ours, each ended by its pid, and by a guard if we are gone
    workers.py        the processors' workers, and what starts them again
    readers.py        auditor, archivist and cases, and what they made of it
    commands.py       commands that persons type
    desk.py           a dispute desk at work, and what became of its corrections
    floor.py          the load, and its receipts
    disk.py           one broker's full disk
    injector.py       the faults, done
    watch.py          when every partition is live, and when not
    judge.py          the journal alone, judged afterwards
    report.py         what happened, as JSON, on the terminal and as a document
    run.py            all of it, from the start of the cluster to the verdict
    break_journal.py  a sound journal, broken on purpose: what the auditor says then
"""
