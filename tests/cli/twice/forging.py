"""Forged keys: somebody who may write into the folder of keys, and knows no secret, plants the registrar's."""

import tempfile
from dataclasses import replace
from functools import partial

from cryptography.hazmat.primitives import serialization as pem

import sfumato as sf
from cli.twice.cases import Case, both
from cli.twice.keeping import KEY
from cli.twice.publishing import PUBLISH, people, publish, published, without_ledger
from cli.twice.reading import OPEN, RECOVER, open_with, recover_with
from sfumato.errors import InvalidParameter, KeyRefused, UnreadableFile
from sfumato.keys import Unprotected
from sfumato.keys.key_files import write_key
from sfumato.keys.protection import Passphrase, PrivateKey
from sfumato.keys.sealed_files import write_private_key
from sfumato.publications.key_folder import KeyFolder
from sfumato.workflows.key_files import merge_key_files, protect_key_file, rotate_key_file, split_key_file
from small_studies import answers

# Cheap, so that the tests are quick: a file says itself what trying a passphrase costs.
SECRET = Passphrase("correct horse", memory_kib=8, passes=1, lanes=1)
NEW = Passphrase("battery staple", memory_kib=8, passes=1, lanes=1)
OWN = PrivateKey(bytes(range(32)))


def with_secrets(folder):
    (folder / "secret.txt").write_text(f"{SECRET.text}\n")
    (folder / "new.txt").write_text(f"{NEW.text}\n")
    write_private_key(OWN, folder / "own.private", Unprotected())
    write_private_key(OWN, folder / "locked.private", SECRET)


def with_pem(folder):
    """A private key as other programs write it: PKCS #8, in clear."""
    with_secrets(folder)
    form = (pem.Encoding.PEM, pem.PrivateFormat.PKCS8, pem.NoEncryption())
    (folder / "old.pem").write_bytes(OWN.loaded().private_bytes(*form))


def forged(study, rows):
    """Keys of the forger: drawn for this study by somebody who knows the draws, and not marked as used."""
    with tempfile.TemporaryDirectory() as own:
        made = sf.publish(replace(study, ledger=None), answers(rows), registry=f"{own}/releases.json")
    return {name: by_level[0].having_produced(None) for name, by_level in made.keys.items()}


def plant(folder, protection, rows=40):
    """What the forger does: all that it takes is the study, the number of rows and the public key."""
    study = sf.read_study(folder / "study.toml")
    planned = KeyFolder.of(study, folder / "keys")
    (folder / "keys").mkdir(exist_ok=True)
    keys = forged(study, rows)
    for path, held in planned.files.items():
        if held.level == 0:
            path.unlink(missing_ok=True)
            write_key(keys[held.question], path, protection)


def planted(protection):
    return both(people, with_secrets, partial(plant, protection=protection))


def replaced(protection, sealed=SECRET):
    """An honest publication, whose registrar's keys were then exchanged."""
    return both(
        lambda folder: published(folder, without_ledger, protection=sealed),
        with_secrets,
        partial(plant, protection=protection),
    )


def locked(folder):
    published(folder, without_ledger, protection=SECRET)
    with_secrets(folder)


def unlocked(folder):
    published(folder, without_ledger)
    with_secrets(folder)


def protect(file, **options):
    return lambda: protect_key_file(file, **{"protection": NEW, "unlock": SECRET, **options})


REGISTRARS = "keys/registrar.place.key"
PROTECT = f"keys protect {KEY} --passphrase-file secret.txt --new-passphrase-file new.txt"
BY_PASSPHRASE = PUBLISH.replace("--unprotected", "--passphrase-file secret.txt")
BY_PRIVATE_KEY = PUBLISH.replace("--unprotected", "--private-key own.private")
NOTHING_SAID = PUBLISH.replace("--unprotected", "")
WEAKER = "is not protected, although a passphrase was given: anyone could have written it"
FORGING = [
    Case(
        name="a forged key without protection is not used where a passphrase was given",
        prepare=planted(Unprotected()), command=BY_PASSPHRASE, call=publish(protection=SECRET),
        refusal=KeyRefused, words=WEAKER,
    ),
    Case(
        name="nor in the place of the keys of an earlier publication",
        prepare=replaced(Unprotected()), command=BY_PASSPHRASE, call=publish(protection=SECRET, unlock=SECRET),
        refusal=KeyRefused, words=WEAKER,
    ),
    Case(
        name="nor where a private key was given",
        prepare=planted(Unprotected()), command=BY_PRIVATE_KEY, call=publish(unlock=OWN),
        refusal=KeyRefused, words="although a private key was given",
    ),
    Case(
        name="nor where nobody said anything",
        prepare=planted(Unprotected()), command=NOTHING_SAID, call=publish(protection=None),
        refusal=KeyRefused, words="anyone could have written it",
    ),
    Case(
        name="a key sealed to the registrar by nobody knows whom is not published under",
        prepare=planted(OWN.public), command=BY_PRIVATE_KEY, call=publish(unlock=OWN),
        refusal=KeyRefused, words="whoever has that could have written it",
    ),
    Case(
        name="nor where a passphrase was given",
        prepare=planted(OWN.public), command=BY_PASSPHRASE, call=publish(protection=SECRET),
        refusal=KeyRefused, words="whoever has that could have written it",
    ),
    *(
        Case(
            name=f"{verb} with a key that is less protected than the secret given",
            prepare=unlocked,
            command=f"{line} keys/{reader}.place.key --passphrase-file secret.txt",
            call=call(f"keys/{reader}.place.key", unlock=SECRET),
            refusal=KeyRefused, words=WEAKER,
        )
        for verb, line, reader, call in (
            ("open", OPEN, "ministry", open_with),
            ("recover", RECOVER, "registrar", recover_with),
        )
    ),
    Case(
        name="unprotected keys are used where that is said",
        prepare=unlocked,
        command=f"{RECOVER} keys/registrar.place.key --passphrase-file secret.txt --allow-unprotected",
        call=recover_with("keys/registrar.place.key", unlock=(SECRET, Unprotected())),
        makes=("back.csv",),
    ),
    Case(
        name="what anyone could have written is not sealed in passing: split",
        prepare=unlocked, command=f"keys split {KEY} --at 2 --out parts --passphrase-file secret.txt",
        call=lambda: split_key_file(KEY, [2], "parts", protection=SECRET, unlock=SECRET),
        refusal=KeyRefused, words=WEAKER,
    ),
    Case(
        name="what anyone could have written is not sealed in passing: merge",
        prepare=unlocked, command=f"keys merge {KEY} --out all.key --passphrase-file secret.txt",
        call=lambda: merge_key_files([KEY], "all.key", protection=SECRET, unlock=SECRET),
        refusal=KeyRefused, words=WEAKER,
    ),
    Case(
        name="what anyone could have written is not sealed in passing: rotate",
        prepare=unlocked, command=f"keys rotate {KEY} --out next.key --passphrase-file secret.txt",
        call=lambda: rotate_key_file(KEY, "next.key", protection=SECRET, unlock=SECRET),
        refusal=KeyRefused, words=WEAKER,
    ),
    Case(
        name="what anyone could have written is not sealed in passing: protect",
        prepare=unlocked, command=f"keys protect {KEY} --new-passphrase-file secret.txt",
        call=lambda: protect_key_file(KEY, protection=SECRET),
        refusal=KeyRefused, words="anyone could have written it",
    ),
    *(
        Case(
            name=f"a registrar's key from nobody knows whom is not sealed as one's own: {verb}",
            prepare=replaced(OWN.public),
            command=f"keys {line} --private-key locked.private --passphrase-file secret.txt",
            call=call, refusal=KeyRefused, words="whoever has that could have written it",
        )
        for verb, line, call in (
            (
                "protect", f"protect {REGISTRARS} --new-passphrase-file new.txt",
                lambda: protect_key_file(REGISTRARS, protection=NEW, unlock=OWN),
            ),
            (
                "rotate", f"rotate {REGISTRARS} --out next.key",
                lambda: rotate_key_file(REGISTRARS, "next.key", protection=SECRET, unlock=OWN),
            ),
        )
    ),
    Case(
        name="publish again under a private key",
        prepare=both(
            with_secrets,
            lambda folder: published(
                folder, without_ledger, protection={"ministry": Unprotected(), "press": Unprotected(), "registrar": OWN}
            ),
        ),
        command=BY_PRIVATE_KEY, call=publish(unlock=OWN),
    ),
    Case(name="a new passphrase", prepare=locked, command=PROTECT, call=protect(KEY), changes=(KEY,)),
    Case(
        name="a new passphrase with the old one wrong",
        prepare=locked, command=PROTECT.replace("secret.txt", "new.txt"), call=protect(KEY, unlock=NEW),
        refusal=KeyRefused, words="does not open",
    ),
    Case(
        name="a first passphrase",
        prepare=unlocked, command=f"keys protect {KEY} --allow-unprotected --new-passphrase-file new.txt",
        call=protect(KEY, unlock=Unprotected()), changes=(KEY,),
    ),
    Case(
        name="no passphrase any more",
        prepare=locked, command=f"keys protect {KEY} --passphrase-file secret.txt --unprotected",
        call=protect(KEY, protection=Unprotected()), changes=(KEY,),
    ),
    Case(
        name="a new passphrase, and none",
        prepare=locked, command=f"{PROTECT} --unprotected",
        call=protect(KEY, protection=None), refusal=InvalidParameter, words="must be", own_words=True,
    ),
    *(
        Case(
            name=f"a new passphrase of a private key that is {kind}",
            prepare=both(without_ledger, with_pem),
            command=f"keys protect {file} {old} --new-passphrase-file new.txt", call=call, changes=(file,),
        )
        for kind, file, old, call in (
            ("locked", "locked.private", "--passphrase-file secret.txt", protect("locked.private")),
            ("open", "own.private", "--allow-unprotected", protect("own.private", unlock=Unprotected())),
            ("a PEM file", "old.pem", "--allow-unprotected", protect("old.pem", unlock=Unprotected())),
        )
    ),
    Case(
        name="a private key that anyone could have written is not locked in passing",
        prepare=both(without_ledger, with_secrets),
        command="keys protect own.private --passphrase-file secret.txt --new-passphrase-file new.txt",
        call=protect("own.private"), refusal=KeyRefused, words=WEAKER,
    ),
    Case(
        name="a private key is not sealed by a private key",
        prepare=both(without_ledger, with_secrets),
        command="keys protect own.private --private-key own.private --new-passphrase-file new.txt",
        call=protect("own.private", unlock=OWN), refusal=InvalidParameter, words="is for key files",
    ),
    Case(
        name="protect what is no key",
        prepare=both(without_ledger, with_secrets),
        command=PROTECT.replace(KEY, "study.toml"), call=protect("study.toml"), refusal=UnreadableFile,
    ),
    Case(
        name="protect what is not there",
        prepare=both(without_ledger, with_secrets),
        command=PROTECT.replace(KEY, "nowhere.key"), call=protect("nowhere.key"),
        refusal=UnreadableFile, words="does not exist",
    ),
]  # fmt: skip
