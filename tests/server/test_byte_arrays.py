"""Arrays of byte strings that are made by hand, read by PostgreSQL itself."""

import psycopg
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sfumato.server.postgres_store import byte_array, take_byte_arrays

VALUES = st.one_of(
    st.lists(st.one_of(st.none(), st.binary(max_size=40)), max_size=20),
    st.integers(1, 40).flatmap(lambda size: st.lists(st.binary(min_size=size, max_size=size), max_size=20)),
    st.lists(st.none(), max_size=5),
)


def test_postgresql_reads_what_was_meant(postgres):
    with psycopg.connect(postgres().url("postgres")) as connection:
        take_byte_arrays(connection)

        @settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow])
        @given(VALUES)
        def read_back(values):
            found = connection.execute("SELECT %b::bytea[]", (byte_array(values),)).fetchone()
            assert found == (values,)

        read_back()
