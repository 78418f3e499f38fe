"""The whole of Pitledger in one process: the floor, the four engines, a journal in memory.

Time is simulated and all chance comes from one seed, so that a run can be repeated bit for bit.
"""

from services.simulation.driver import SimulationReport, simulate

__all__ = ["SimulationReport", "simulate"]
