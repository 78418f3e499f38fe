"""Disputes and corrections: a table's case facts in, answers and postings out; pure.

Nothing of what was settled changes: a case speaks of the settlement record that it embeds, and its
money is booked beside it, in lines of its own.
"""
