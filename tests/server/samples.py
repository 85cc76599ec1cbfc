"""A small collection, and requests to it, without a device: bodies of the right length that nobody opens."""

import base64
import hashlib
import json

from sfumato.keys.shares import Kem
from sfumato.study import Analyst, OneOfMany, Study, YesNo
from sfumato.study.collect_terms import CollectTerms
from sfumato.study.collection import Collection, Receiver, levels_of, report_id

STUDY = {
    "name": "Homes",
    "population": 600,
    "questions": (
        YesNo(id="moved", text="Did you move?"),
        OneOfMany(id="place", text="Where do you live?", answers=("north", "south", "east", "west")),
    ),
    "analysts": (Analyst(name="ministry", epsilon=3), Analyst(name="press", epsilon=1)),
    "public_epsilon": 0.5,
}
ADMIN = "the administrator's token"


def collection(mode="anonymous", wave=1):
    """A collection of two questions and two receivers, whose private keys nobody has."""
    study = Study(**STUDY, collect=CollectTerms(mode=mode))
    receivers = tuple(
        Receiver(name=name, kem=Kem.X25519, public_key=hashlib.sha256(name.encode()).digest(), levels=levels)
        for name, levels in levels_of(study).items()
    )
    declared = {way.question.id: way.declaration for way in study.handlers}
    return Collection(study=study, declarations=declared, receivers=receivers, wave=wave)


def secret_of(number):
    return hashlib.sha256(f"secret {number}".encode()).digest()


def text(data):
    return base64.b64encode(data).decode()


def report(of, number, **changes):
    """The body of a report, without what lets it in."""
    noise = hashlib.shake_256(f"noise {number}".encode()).digest(4000)
    body = {
        "id": report_id(secret_of(number)).hex(),
        "row": text(of.pack_row({"moved": noise[0] % 2, "place": noise[1] % 4})),
        "shares": {name: text(noise[:size]) for name, size in of.share_bytes.items()},
    }
    return body | changes


class PlainSigning:
    """Credentials without cryptography, for tests that are about something else: the hash of a nonce."""

    document = {"public_key": "none", "key_digest": "none"}  # noqa: RUF012

    def verify(self, nonce, signature):
        from sfumato.server.admission import not_admitted

        if signature != self.signature_of(nonce):
            raise not_admitted("credential")
        return hashlib.sha256(signature).digest()

    def hash_blinded(self, blinded):
        return hashlib.sha256(blinded).digest()

    def sign(self, blinded):
        return self.signature_of(blinded)

    @staticmethod
    def signature_of(nonce):
        return hashlib.sha256(b"signed" + nonce).digest()


def plain_credential(number):
    nonce = hashlib.sha256(f"nonce {number}".encode()).digest()
    return {"nonce": nonce.hex(), "signature": text(PlainSigning.signature_of(nonce))}


def plain_report(of, number, **changes):
    """A whole body that a server with `PlainSigning` takes."""
    return report(of, number, credential=plain_credential(number), **changes)


def encoded(body):
    return json.dumps(body).encode()
