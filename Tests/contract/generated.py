"""Requests that schemathesis makes from openapi.yaml against a live service with a seeded store."""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import contract
import seed
from service import Service

HERE = Path(__file__).resolve().parent

# One seed, so that a run can be repeated; HOLDFAST_CONTRACT_SEED tries another.
SEED = os.environ.get("HOLDFAST_CONTRACT_SEED", "20261120")
# Of each operation and kind of data; HOLDFAST_CONTRACT_EXAMPLES looks longer.
EXAMPLES_MAX = os.environ.get("HOLDFAST_CONTRACT_EXAMPLES", "40")
SECONDS_MAX = 900
# Their successes would take away what the others work on: a class, what users may do, and that no token is needed; or they need what
# another one answered: an account, a session, a code.
LEFT_OUT = {
    "deleteClass", "putAccess", "listTokens", "createToken", "patchToken", "deleteToken", "createAccount", "getAccount",
    "deleteAccount", "createResetCode", "resetPassword", "changePassword", "createSession", "deleteSession", "deleteSessions"}


def setUpModule():
    global report, statuses, output, is_running
    # Its visitor may pin a quarter of the versions, and ends none of them.
    with tempfile.TemporaryDirectory() as folder, Service("--max-snapshots", "1000") as running:
        seed.seed(running)
        # It names no class, so that it hinders no change of the schema.
        running.succeed("PUT", "/v1/access", {"roles": {"reader": {"for": "anyone", "classes": {"*": {"read": True}}}}})
        verdict, counts = Path(folder) / "verdict.json", Path(folder) / "statuses.json"
        print(f"schemathesis: seed {SEED}, at most {EXAMPLES_MAX} examples", flush=True)
        finished = subprocess.run(
            [Path(sys.executable).parent / "schemathesis", "--config-file",
             HERE / "schemathesis.toml", "run", contract.ROOT / "openapi.yaml", "--url", running.url,
             "--seed", SEED, "--max-examples", EXAMPLES_MAX, "--report", "json",
             "--report-json-path", verdict, "--no-color"],
            cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, errors="replace", timeout=SECONDS_MAX,
            env={**os.environ, "PYTHONPATH": str(HERE), "PYTHONHASHSEED": "0",
                 "PYTHONDONTWRITEBYTECODE": "1",
                 "HOLDFAST_CONTRACT_REPORT": str(counts),
                 "HOLDFAST_CONTRACT_NOTES": json.dumps(seed.note_ids(running))})
        output = finished.stdout
        is_running = running.is_running()
        report = json.loads(verdict.read_text()) if verdict.exists() else None
        statuses = json.loads(counts.read_text()) if counts.exists() else {}
    if report is None or report["failures"] or report["errors"]:
        print(output)


class GeneratedTests(unittest.TestCase):
    def test_the_run_came_to_its_end(self):
        self.assertIsNotNone(report, output[-4000:])
        self.assertTrue(report["complete"], output[-4000:])
        self.assertEqual(report["errors"], [])
        self.assertEqual(report["stop_reason"], "completed")
        self.assertTrue(is_running, "the service has ended")

    def test_every_operation_succeeds_at_least_once(self):
        self.assertTrue(statuses)
        for _, _, operation in contract.operations():
            name = operation["operationId"]
            if name in LEFT_OUT:
                continue
            counts = statuses.get(name, {})
            print(f"  {name}: " + ", ".join(
                f"{status} × {count}" for status, count in sorted(counts.items())))
            with self.subTest(operation=name):
                self.assertTrue(any(status.startswith("2") for status in counts), counts)

    def test_no_operation_fails_on_the_server(self):
        for name, counts in statuses.items():
            with self.subTest(operation=name):
                self.assertEqual([status for status in counts if status.startswith("5")], [])

    def test_no_operation_breaks_its_contract(self):
        self.assertIsNotNone(report)
        for failure in report["failures"]:
            with self.subTest(failure=failure["title"]):
                self.fail(f"{failure['title']} × {failure['count']}: "
                          + ", ".join(map(str, failure["operations"])))
