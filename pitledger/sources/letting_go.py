"""How a consumer is told that no more of a partition is wanted for now.

Not by `pause`: of a partition that was paused while some of its records had come and were not given
out yet, kafka-python 3.0 fetches nothing any more, also after `resume`. No call fails, the broker
answers all that is asked: the partition stands still in silence.
"""

from typing import Any


def let_go(consumer: Any, tp: Any) -> None:
    """Who wants it again assigns it again, and seeks it."""
    consumer.assign([each for each in consumer.assignment() if each != tp])
