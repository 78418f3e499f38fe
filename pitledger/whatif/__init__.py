"""What if: a round replayed under changed facts or rules, and what that would have changed.

The changed facts go through the same fold as those that happened; nothing else judges a round.
"""
