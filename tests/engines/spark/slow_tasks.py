"""Tasks that take their time, so that a test can kill them, or overtake them, while they are writing."""

import os
import time

from sfumato.study.part_tasks import DrawTask, DrawWork

SECONDS = "SFUMATO_TEST_SECONDS"
"""How long a task waits when it has written its rows and not finished its file; an environment variable."""
LAGGARD = "SFUMATO_TEST_LAGGARD"
"""If this is set, only the first run of the first partition waits."""


class SlowDrawTask(DrawTask):
    """Draws like any other."""

    def begin(self):
        return SlowDrawWork(self)


class SlowDrawWork(DrawWork):
    """One task."""

    def finish(self):
        from pyspark import TaskContext

        here = TaskContext.get()
        is_first = here.partitionId() == 0 and here.attemptNumber() == 0
        if is_first or LAGGARD not in os.environ:
            time.sleep(float(os.environ.get(SECONDS, "0")))
        return super().finish()
