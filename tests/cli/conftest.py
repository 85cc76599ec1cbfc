"""Run the command in a process of its own: a fork of one that has imported everything, which saves a second a time.

Forks share nothing but what was imported. That the installed command does the same from a cold start is tested in
test_verbs.py, and that it imports little in test_help.py.
"""

import subprocess

import pytest

from cli.forks import Forks


@pytest.fixture(scope="session")
def forks(command_server, tmp_path_factory):
    folder = tmp_path_factory.mktemp("forks")
    server = Forks(command_server, folder)
    yield server, folder
    server.close()


@pytest.fixture
def sfumato(forks, tmp_path):
    """Run the command in the test's own folder, and return what became of it as subprocess.run does."""
    server, said = forks

    def run(*arguments, **environment):
        words = [str(argument) for argument in arguments]
        answer = server.ask(arguments=words, folder=str(tmp_path), said=str(said), signal=None, environment=environment)
        out, err = ((said / name).read_text(encoding="utf-8") for name in ("stdout", "stderr"))
        return subprocess.CompletedProcess(["sfumato", *words], answer["code"], out, err)

    return run


@pytest.fixture
def channel_file(tmp_path):
    path = tmp_path / "channel.csv"
    path.write_text("answer,no,yes\nno,3/4,1/4\nyes,0.25,0.75\n")
    return path
