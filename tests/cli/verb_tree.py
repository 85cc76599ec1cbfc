"""Every verb of the command, whatever family it is in."""

from sfumato.cli.app import command_tree


def verbs(group=None, path=()):
    """Yield the words of each verb and its command; families are walked into."""
    group = command_tree() if group is None else group
    for name, command in sorted(group.commands.items()):
        if hasattr(command, "commands"):
            yield from verbs(command, (*path, name))
        else:
            yield " ".join((*path, name)), command
