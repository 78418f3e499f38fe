"""What a list of commands says of each in a line, and the example that its help ends with."""

import typer

COMMANDS = {
    "adjudicate": ("Settle a round given as JSON.", "adjudicate round.json"),
    "simulate": (
        "Play rounds on a simulated floor into a journal file.",
        "simulate --tables 8 --rounds 2000 --seed 1 -o journal.pit",
    ),
    "rounds": (
        "List rounds: table, game, state, money.",
        "rounds --from journal.pit --table saigon-001 --gaming-day 2026-11-30",
    ),
    "replay": (
        "Show a round step by step, and prove it.",
        "replay saigon-001/7 --from journal.pit",
    ),
    "recall": (
        "Show the complete play of the last rounds.",
        "recall --from archive --table saigon-001 --position 3 --last 10",
    ),
    "gaps": ("Report missing round numbers.", "gaps --from archive --gaming-day 2026-11-30"),
    "audit": ("Work out every round a second time.", "audit --from journal.pit"),
    "doctor": (
        "Say what waits, why, and what to do.",
        "doctor --from kafka --processors http://127.0.0.1:9101",
    ),
    "archive": (
        "Seal finished rounds in a signed archive.",
        "archive --from journal.pit -o archive --key floor.key",
    ),
    "report": (
        "Report a gaming day's money by table.",
        "report --from archive --gaming-day 2026-11-30 --as-of 12h",
    ),
    "mirror": (
        "Copy an archive, and verify it on the way.",
        "mirror archive copy --key floor.key.pub",
    ),
    "verify": (
        "Verify an archive, and derive its rounds again.",
        "verify archive --key floor.key.pub",
    ),
    "packet": (
        "Make the dispute packet of a round.",
        "packet saigon-001/7 --from archive --key floor.key -o dispute.zip",
    ),
    "whatif": (
        "Replay under other facts or rules; the money.",
        "whatif saigon-001/7 --from journal.pit --set 3.card2=8c --set 2.wager.ante=50.00",
    ),
    "export": (
        "Write a journal as tables, JSON Lines or Parquet.",
        "export --from archive --gaming-day 2026-11 --format parquet -o november",
    ),
    "witness": (
        "Countersign an archive's newest checkpoint.",
        "witness archive --key witness.key --log-key floor.key.pub --state witness.state",
    ),
    "rules": ("Rules submissions: check one, show one.", ""),
    "rules check": ("Say what is wrong with a submission.", "rules check our-rules.toml"),
    "rules show": ("Show each setting, and who says so.", "rules show saigon5-default"),
    "hold": ("Hold a table, so that no round opens or closes.", ""),
    "hold place": (
        "Hold a table.",
        'hold place saigon-001 --reason "shoe jammed" --by supervisor-4',
    ),
    "hold release": (
        "Release a hold of a table.",
        'hold release saigon-001 --reason "shoe changed" --by supervisor-4',
    ),
    "hold list": ("List the holds in force.", "hold list --from kafka"),
    "case": ("Disputes about settled rounds.", ""),
    "case open": (
        "Open a case about a settled round.",
        'case open saigon-001/7 --position 3 --claim "a flush was paid as a pair"'
        " --amount 15.00 --by host-2",
    ),
    "case hold": (
        "Keep what a case needs.",
        'case hold 01a22c53 --reason "claim of position 3" --by supervisor-4',
    ),
    "case release": (
        "Release the holds that name a case.",
        'case release 01a22c53 --reason "video is saved" --by supervisor-4',
    ),
    "case resolve": (
        "Say what was found, once.",
        'case resolve 01a22c53 --finding dealer --resolution "paid too little" --by manager-1',
    ),
    "case show": ("Show a case.", "case show 01a22c53 --from archive"),
    "case list": ("List cases.", "case list --from kafka --state open"),
    "adjust": ("Corrections: one proposes, another approves.", ""),
    "adjust propose": (
        "Propose a correction in a case.",
        "adjust propose 01a22c53 --position 3 --wager ante --amount 15.00"
        ' --reason "paid too little" --by supervisor-4',
    ),
    "adjust approve": (
        "Approve what another person proposed.",
        "adjust approve 01a22c61 --by manager-1",
    ),
    "adjust decline": (
        "Decline or withdraw a proposal.",
        'adjust decline 01a22c61 --reason "the video shows a pair" --by manager-1',
    ),
    "adjust list": (
        "List adjustments.",
        "adjust list --from archive --month 2026-11 --above 2000.00",
    ),
    "quarantine": ("Records that changed nothing.", ""),
    "quarantine list": ("List them.", "quarantine list --since 2h --table saigon-001"),
    "quarantine show": ("Show one.", "quarantine show 3:1204"),
    "topics": ("The journal's topics on Kafka.", ""),
    "topics create": ("Make the topics that are missing.", "topics create"),
    "topics check": ("Compare them with what they must be.", "topics check"),
    "topics trim": (
        "Delete what is sealed, mirrored and old.",
        "topics trim --archive archive --mirror copy --key floor.key.pub --older-than 30d",
    ),
    "topics acls": ("Access lists: who may do what there.", ""),
    "topics acls apply": ("Grant what a file says.", "topics acls apply deploy/kafka/acls.toml"),
    "topics acls check": (
        "Compare the broker's with a file.",
        "topics acls check deploy/kafka/acls.toml",
    ),
    "keys": ("Keys that sign an archive or a packet.", ""),
    "keys new": ("Make a key pair.", "keys new casino.example/floor -o floor.key"),
    "keys rotate": (
        "Let another key sign from now on.",
        "keys rotate archive --key floor.key --to next.key",
    ),
    "keys authorise": (
        "Let somebody's key sign packets.",
        "keys authorise archive --key floor.key --packets officer.key.pub",
    ),
    "keys revoke": (
        "Take that back, for good.",
        "keys revoke archive --key floor.key --packets officer.key.pub",
    ),
    "keys list": ("List what is said of keys.", "keys list archive"),
    "retention": ("How long leaves are kept; deleting them.", ""),
    "retention show": (
        "Say by day what is kept, and what may go.",
        "retention show archive --policy pa-table-games",
    ),
    "retention delete": (
        "Delete what is over its term.",
        "retention delete archive --policy pa-table-games --key floor.key --by manager-1"
        ' --reason "term over"',
    ),
    "legal-hold": ("What may not be deleted, whatever its term.", ""),
    "legal-hold place": (
        "Place a hold.",
        'legal-hold place archive --table saigon-001 --gaming-day 2026-11-30'
        ' --by counsel-1 --reason "subpoena 17"',
    ),
    "legal-hold release": (
        "Release a hold.",
        'legal-hold release archive 20261130-d242a365 --by counsel-1 --reason "settled"',
    ),
    "legal-hold list": ("List the holds in force.", "legal-hold list archive"),
}
"""By command or group: its line in the list of commands, and an example without `pitledger`."""


def add_examples(app: typer.Typer, group: str = "") -> None:
    """Give each command of an app, and of the groups in it, its line and its example."""
    for command in app.registered_commands:
        assert command.callback is not None
        name = command.name or command.callback.__name__
        command.short_help, example = COMMANDS[f"{group}{name}"]
        command.epilog = f"\b\nExample:\n  pitledger {example}"
    for below in app.registered_groups:
        assert below.typer_instance is not None
        below.short_help, _ = COMMANDS[f"{group}{below.name}"]
        add_examples(below.typer_instance, f"{group}{below.name} ")
