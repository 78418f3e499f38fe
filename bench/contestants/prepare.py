"""Makes what the contestants read: a journal, and rounds as JSON lines. ROUNDS JOURNAL JSONL."""

import json
import sys
from pathlib import Path
from random import Random

from pitledger.cards import DECK_53, notation
from services.simulation import simulate


def main() -> None:
    rounds, journal, lines = int(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3])
    report = simulate(("saigon5", "five_card_hi_lo"), 8, rounds, 1, False, journal)
    rng = Random(1)
    with lines.open("w") as out:
        for _ in range(rounds):
            out.write(json.dumps(_six_positions(rng)) + "\n")
    print(json.dumps({"rounds": report.rounds, "records": report.records}))


def _six_positions(rng: Random) -> dict[str, object]:
    deck = [notation(card) for card in sorted(DECK_53)]
    rng.shuffle(deck)
    wagers = {"ante": 2500, "bonus": 500, "pot": 1000}
    positions = [
        {"position": p, "wagers": wagers, "cards": deck[5 * p : 5 * p + 5]} for p in range(1, 7)
    ]
    return {"game": "saigon5", "positions": positions, "dealer": {"cards": deck[:5]}}


if __name__ == "__main__":
    main()
