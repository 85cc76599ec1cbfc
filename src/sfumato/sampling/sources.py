"""Sources of random bits, and the guarantee that each gives."""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Iterable
from enum import StrEnum
from hashlib import sha256
from typing import Any, NoReturn, Protocol

import numpy as np
import numpy.typing as npt

from sfumato.errors import InsecureBitsWarning, SourceFailed
from sfumato.numbers.checks import check_at_least, check_between, check_integer

# --- Guarantees: the kind of adversary that a source is secure against


class Guarantee(StrEnum):
    """Where the randomness behind a report comes from decides against whom it protects.

    >>> import sfumato as sf
    >>> sf.sampling.SystemBits().guarantee is sf.sampling.Guarantee.INFORMATION_THEORETIC
    True
    >>> [guarantee.value for guarantee in sf.sampling.Guarantee]
    ['information_theoretic', 'computational', 'none']
    """

    INFORMATION_THEORETIC = "information_theoretic"
    """Fresh true randomness: holds against unlimited computing power."""
    COMPUTATIONAL = "computational"
    """Randomness expanded from a secret key: holds while the cipher does."""
    NONE = "none"
    """A seed that anyone can repeat: a simulation."""


WordArray = npt.NDArray[Any]  # unsigned integers, as small as the width allows

MOST_WIDTH = 64
_CHUNK = 1 << 20
_ZEROS = bytes(_CHUNK)
# update_into needs space for one more block than it fills.
_ROOM = 16


class BitSource(Protocol):
    """A source of independent uniform words. One that cannot do so raises SourceFailed; it never falls back.

    >>> import sfumato as sf
    >>> def who_could_repeat_it(bits: sf.sampling.BitSource) -> str:
    ...     return f"{bits.label} ({bits.guarantee})"
    ...
    >>> who_could_repeat_it(sf.sampling.SystemBits())
    'operating system (information_theoretic)'
    >>> who_could_repeat_it(sf.sampling.ScriptedBits([1, 2]))
    'INSECURE script: a test, not a release (none)'
    """

    @property
    def guarantee(self) -> Guarantee:
        """Against whom reports made from these bits protect."""
        ...

    @property
    def label(self) -> str:
        """What to call the source where its output is shown."""
        ...

    def words(self, count: int, width: int = MOST_WIDTH) -> WordArray:
        """`count` words, each uniform on 0..2^width-1."""
        ...


class SystemBits:
    """The operating system's generator: for single answers and for keys.

    >>> import sfumato as sf
    >>> bits = sf.sampling.SystemBits()
    >>> len(bits.words(1000, width=6)), bits.guarantee.value
    (1000, 'information_theoretic')
    """

    guarantee = Guarantee.INFORMATION_THEORETIC
    label = "operating system"

    def __init__(self) -> None:
        self._last = b""

    def words(self, count: int, width: int = MOST_WIDTH) -> WordArray:
        """`count` words from the system."""
        dtype = _check_request(count, width)
        data = self.bytes(count * dtype.itemsize)
        return _cut(np.frombuffer(data, dtype=dtype), width)

    def bytes(self, count: int) -> bytes:
        """Return raw bytes, checked for the two signs of a broken source."""
        try:
            data = os.urandom(count)
        except OSError as error:
            raise SourceFailed(
                f"the system's random source failed ({error.strerror})",
                way_out="Nothing was released; try again when it works.",
            ) from None
        if len(data) != count:
            raise SourceFailed(
                f"the system's random source gave {len(data)} of {count} bytes",
                way_out="Nothing was released; try again when it works.",
            )
        # 16 equal bytes in a row happen by chance once in 2^128 reads; a stuck device does it every time.
        if count >= 16 and (data == self._last or data == data[:1] * count):
            raise SourceFailed(
                "the system's random source repeats itself", way_out="Nothing was released; repair it first."
            )
        self._last = data if count >= 16 else self._last
        return data


class _Keystream:
    """AES-256 in counter mode: the keystream is the bits. Safe across threads; not to be copied."""

    def __init__(self, key: bytes, nonce: bytes) -> None:
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes  # noqa: PLC0415  slow to import

        self._encryptor = Cipher(algorithms.AES(key), modes.CTR(nonce)).encryptor()
        self._lock = threading.Lock()

    def bytes(self, count: int) -> memoryview:
        """Return the next `count` bytes of the stream, written straight into fresh memory."""
        buffer = np.empty(count + _ROOM, dtype=np.uint8)
        view = buffer.data
        with self._lock:
            for start in range(0, count, _CHUNK):
                size = min(_CHUNK, count - start)
                written = self._encryptor.update_into(memoryview(_ZEROS)[:size], view[start : start + size + _ROOM])
                if written != size:
                    raise SourceFailed(
                        "the cipher behind the bulk source stopped short",
                        way_out="Nothing was released; make a new source and try again.",
                    )
        return view[:count]


class BulkBits:
    """Bits for whole columns: an AES-256-CTR keystream under a key drawn from the system and never shown.

    A process that forks gets a new key on both sides' next call, so that two processes never share a stream.

    >>> import sfumato as sf
    >>> bits = sf.sampling.BulkBits()
    >>> coin = sf.mechanisms.RandomizedResponse.within(size=2, epsilon=1.0)
    >>> reports = coin.privatize([0, 1] * 50_000, bits)
    >>> bits.guarantee.value, len(reports)
    ('computational', 100000)
    """

    guarantee = Guarantee.COMPUTATIONAL
    label = "AES-256-CTR, keyed by the operating system"

    def __init__(self) -> None:
        self._rekey()

    def _rekey(self) -> None:
        system = SystemBits()
        self._stream = _Keystream(system.bytes(32), system.bytes(16))
        self._owner = os.getpid()

    def words(self, count: int, width: int = MOST_WIDTH) -> WordArray:
        """`count` words from the keystream."""
        dtype = _check_request(count, width)
        if self._owner != os.getpid():
            self._rekey()
        return _cut(np.frombuffer(self._stream.bytes(count * dtype.itemsize), dtype=dtype), width)

    def __reduce__(self) -> NoReturn:
        raise TypeError("a source of secret bits cannot be copied or pickled; make a new one where it is needed")


class KeyedBits:
    """The same stream for everyone who holds the key: how a short key stands for long draws.

    Raises:
        SourceFailed: the key has not 32 bytes.

    >>> import sfumato as sf
    >>> key = bytes(range(32))  # for show: a key is drawn from the system
    >>> sf.sampling.KeyedBits(key).words(4, width=8).tolist() == sf.sampling.KeyedBits(key).words(4, width=8).tolist()
    True
    """

    guarantee = Guarantee.COMPUTATIONAL
    label = "AES-256-CTR under a key"

    def __init__(self, key: bytes) -> None:
        if len(key) != 32:
            raise SourceFailed(
                f"has {len(key)} bytes and cannot be expanded", parameter="key", way_out="Pass a key of 32 bytes."
            )
        self._stream = _Keystream(key, bytes(16))

    def words(self, count: int, width: int = MOST_WIDTH) -> WordArray:
        """`count` words, the same for every holder of the key."""
        dtype = _check_request(count, width)
        return _cut(np.frombuffer(self._stream.bytes(count * dtype.itemsize), dtype=dtype), width)

    def __reduce__(self) -> NoReturn:
        raise TypeError("a source of secret bits cannot be copied or pickled; make a new one where it is needed")


class InsecureSeeded:
    """The same stream for everyone who knows the seed: for simulations and tests, never for a release.

    It warns (`InsecureBitsWarning`) when it is made.

    >>> import sfumato as sf
    >>> bits = sf.sampling.InsecureSeeded(7)
    >>> bits.words(3, width=8).tolist(), bits.label
    ([36, 186, 244], 'INSECURE seed 7: a simulation, not a release')
    """

    guarantee = Guarantee.NONE

    def __init__(self, seed: int) -> None:
        check_at_least("seed", check_integer("seed", seed), 0)
        warnings.warn(
            f"bits from InsecureSeeded({seed}) can be repeated by anyone: a simulation, not a release",
            InsecureBitsWarning,
            stacklevel=2,
        )
        self.seed = seed
        self._stream = _Keystream(sha256(b"sfumato insecure seed %d" % seed).digest(), bytes(16))

    @property
    def label(self) -> str:
        """The warning that goes wherever the output is shown."""
        return f"INSECURE seed {self.seed}: a simulation, not a release"

    def words(self, count: int, width: int = MOST_WIDTH) -> WordArray:
        """`count` words, the same on every machine."""
        dtype = _check_request(count, width)
        return _cut(np.frombuffer(self._stream.bytes(count * dtype.itemsize), dtype=dtype), width)

    def __repr__(self) -> str:
        return f"InsecureSeeded({self.seed})"


class ScriptedBits:
    """Words written down beforehand: how tests feed every possible draw.

    >>> import sfumato as sf
    >>> bits = sf.sampling.ScriptedBits([3, 0, 2])
    >>> sf.sampling.UniformBelow(bound=3, width=2).sample(bits, 2).tolist(), bits.left  # the word 3 was drawn again
    ([2, 0], 0)
    """

    guarantee = Guarantee.NONE
    label = "INSECURE script: a test, not a release"

    def __init__(self, words: Iterable[int]) -> None:
        self._words = list(words)
        self._next = 0

    def words(self, count: int, width: int = MOST_WIDTH) -> WordArray:
        """Return the next `count` words of the script, or fail when it has run out."""
        dtype = _check_request(count, width)
        chosen = self._words[self._next : self._next + count]
        if len(chosen) < count:
            raise SourceFailed(
                f"the script has {len(chosen)} words left and {count} were asked for", way_out="Write a longer script."
            )
        if any(not 0 <= word < 1 << width for word in chosen):
            raise SourceFailed(
                f"the script holds a word that does not fit {width} bits",
                way_out="Write words of the width that is asked for.",
            )
        self._next += count
        return np.array(chosen, dtype=dtype)

    @property
    def left(self) -> int:
        """How many words have not been asked for."""
        return len(self._words) - self._next


def _check_request(count: int, width: int) -> np.dtype[Any]:
    check_at_least("count", check_integer("count", count), 0)
    check_between("width", check_integer("width", width), 1, MOST_WIDTH)
    return np.dtype(f"<u{next(size for size in (1, 2, 4, 8) if 8 * size >= width)}")


def _cut(words: WordArray, width: int) -> WordArray:
    spare = 8 * words.dtype.itemsize - width
    return words >> words.dtype.type(spare) if spare else words
