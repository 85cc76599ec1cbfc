"""sfumato verify on published reports: what it prints and returns."""

import json

from living_publications import living_answers, living_study
from sfumato.workflows.publishing import publish


def test_a_publication_is_audited_and_what_is_foreign_is_refused(sfumato, tmp_path):
    out = tmp_path / "reports"
    publish(living_study(recover=False, analysts=()), living_answers(60), out=out, insecure_seed=1)
    checked = sfumato("verify", "reports")
    assert (checked.returncode, checked.stderr) == (0, "")
    assert checked.stdout.startswith("Verified: the files hold 60 rows")
    (out / "draft.csv").write_text("canary")
    refused = sfumato("verify", "reports")
    assert refused.returncode == 1
    assert "draft.csv" in refused.stdout
    assert "Traceback" not in refused.stderr
    verdict = json.loads(sfumato("verify", "reports", "--json").stdout)
    assert verdict["verified"] is False
    assert verdict["findings"] == ["draft.csv: a file that the publication does not name"]


def test_a_file_of_answers_is_no_publication(sfumato, tmp_path):
    (tmp_path / "answers.csv").write_text("moved\nno\n")
    assert sfumato("verify", "answers.csv").returncode == 2
