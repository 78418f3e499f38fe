"""A node of Apache Kafka that cannot be started says why in one line."""

import pytest

from services.broker.apache import ApacheKafka
from services.broker.process import BrokerError
from services.broker.process import answers_metadata as answers


def test_a_second_broker_on_the_same_data_is_refused_and_harms_the_first_in_nothing(apache_broker):
    properties = apache_broker.data.with_name(apache_broker.data.name + ".properties")
    before = properties.read_text()
    second = ApacheKafka(data=apache_broker.data)
    with pytest.raises(BrokerError, match="another broker runs on the data in"):
        second.start()
    assert properties.read_text() == before
    assert answers(apache_broker.bootstrap)
