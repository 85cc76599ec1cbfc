"""Whatever the bytes, a reader returns a valid object or refuses as `InvalidInput`; nothing else, ever.

Files that are changed a little are the business of tests/fuzz; here are bytes of any kind, and documents of any shape.
"""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from damaged_files import mutations
from io_samples import READERS, VALID, assert_valid
from sfumato.errors import InvalidInput
from sfumato.prob import parse_prior, read_any_channel, read_channel

EXAMPLES = {"csv": 300, "json": 300, "parquet": 150}


def read_or_refuse(reader, path):
    """Return whether the file was read; anything but a valid object or a sentence fails the test."""
    try:
        found = reader(path)
    except InvalidInput:
        return False
    assert_valid(found)
    return True


@pytest.mark.parametrize(("noun", "extension"), VALID)
def test_the_originals_are_read(tmp_path, noun, extension):
    """Else the mutations below would start from refusals, and show nothing."""
    for data in VALID[noun, extension]:
        path = tmp_path / f"x.{extension}"
        path.write_bytes(data)
        assert read_or_refuse(READERS[noun], path)


@pytest.mark.parametrize(("noun", "extension"), VALID)
def test_arbitrary_bytes_are_read_or_refused(tmp_path, noun, extension):
    path = tmp_path / f"x.{extension}"
    frame = st.binary(max_size=300).map(lambda data: b"PAR1" + data + len(data).to_bytes(4, "little") + b"PAR1")

    @settings(max_examples=EXAMPLES[extension], deadline=None, suppress_health_check=list(HealthCheck))
    @given(
        st.one_of(
            st.binary(max_size=300), st.text(max_size=100).map(lambda text: text.encode("utf-8", "replace")), frame
        )
    )
    def check(data):
        path.write_bytes(data)
        read_or_refuse(READERS[noun], path)

    check()


json_values = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5), st.sampled_from(["1/2", "0.5"])
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(
            st.sampled_from(
                ["schema", "kind", "rows", "inputs", "outputs", "numbers", "law", "size", "odds", "support"]
            )
            | st.sampled_from(["input", "output", "count", "labels", "probabilities", "input_count"])
            | st.text(max_size=3),
            inner,
            max_size=5,
        ),
    ),
    max_leaves=20,
)


@pytest.mark.parametrize("noun", READERS)
def test_any_json_document_is_read_or_refused(tmp_path, noun):
    """Random bytes are hardly ever JSON; here every document is, with our keys and a schema that fits."""
    path = tmp_path / "x.json"

    @settings(deadline=None, suppress_health_check=list(HealthCheck))
    @given(document=json_values, kind=st.sampled_from(["dense", "circulant", None]))
    def check(document, kind):
        if isinstance(document, dict):
            document["schema"] = f"sfumato/{noun}/1"
            if kind:
                document["kind"] = kind
        path.write_text(json.dumps(document), encoding="utf-8")
        read_or_refuse(READERS[noun], path)

    check()


@settings(deadline=None, suppress_health_check=list(HealthCheck))
@given(st.one_of(st.text(max_size=60), st.text("0123456789./=,eyn- ", max_size=40)))
def test_any_typed_prior_is_read_or_refused(text):
    read_or_refuse(parse_prior, text)


def test_a_structured_file_gives_the_same_dense_channel_or_refusal(tmp_path):
    path = tmp_path / "x.json"

    @settings(deadline=None, suppress_health_check=list(HealthCheck))
    @given(mutations(VALID["channel", "json"][1:3]))
    def check(data):
        path.write_bytes(data)
        if read_or_refuse(read_channel, path):
            assert read_any_channel(path).to_dense() == read_channel(path)

    check()
