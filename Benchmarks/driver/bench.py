"""A run's context: settings, temporary directory, compiled references, data and Holdfast stores."""
import copy
import json
import os
import shutil
import subprocess
import sys
import tempfile
import types

from . import client
from .data import DataSet, bench_schema
from .processes import BenchError, cpu_seconds
from .servers import Holdfast, installed


class Bench:
    """What rows share. Use it as a context: its directory is removed at the end."""

    def __init__(self, root, settings):
        self.root, self.settings = root, settings
        self.cpu_seconds = cpu_seconds
        self.has_holdfast = installed(settings.holdfast) and not settings.references_only
        self.data = DataSet(self)
        self.salt = 0
        self._directory = None
        self._references = {}
        self._stores = set()

    def __enter__(self):
        os.makedirs(self.settings.work, exist_ok=True)
        self._directory = tempfile.mkdtemp(prefix="holdfast-bench-", dir=self.settings.work)
        return self

    def __exit__(self, *error):
        if not self.settings.keep:
            shutil.rmtree(self._directory, ignore_errors=True)

    def with_program(self, holdfast):
        """The same run with another Holdfast, whose stores need names of their own."""
        other = copy.copy(self)
        other.settings = types.SimpleNamespace(**{**vars(self.settings), "holdfast": holdfast})
        return other

    def say(self, text):
        """Progress, on standard error so that standard output is the report alone."""
        print(f"… {text}", file=sys.stderr, flush=True)

    def path(self, name):
        return os.path.join(self._directory, name)

    def drop(self, name):
        shutil.rmtree(self.path(name), ignore_errors=True)
        self._stores.discard(name)

    def reference(self, name):
        """The path of a compiled reference program, or load program; compiled when a source is newer."""
        if name in self._references:
            return self._references[name]
        library = {"constant_reply": "-lmicrohttpd", "bare_lmdb": "-llmdb", "bare_people": "-llmdb", "signed_tokens": "-lcrypto",
                   "streams": ""}[name]
        source = self.root / ("reference" if library else "load") / f"{name}.c"
        os.makedirs(self.settings.build, exist_ok=True)
        binary = os.path.join(self.settings.build, name)
        newest = max(one.stat().st_mtime for one in source.parent.glob("*.[ch]"))
        if not os.path.exists(binary) or os.path.getmtime(binary) < newest:
            command = [self._compiler(), "-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-o", binary,
                       str(source), *filter(None, [library])]
            result = subprocess.run(command, capture_output=True, text=True, check=False)
            if result.returncode != 0:
                raise BenchError(f"{' '.join(command)}: {result.stderr[-800:]}")
        self._references[name] = binary
        return binary

    def _compiler(self):
        """A C compiler: the system's, or the one that comes with the Swift toolchain."""
        swift = subprocess.run([self.root.parent / "scripts" / "find-swift"], capture_output=True, text=True,
                               check=False)
        candidates = ["cc", "gcc", "clang", os.path.join(os.path.dirname(swift.stdout.strip()), "clang")]
        for candidate in candidates:
            if installed(candidate):
                return candidate
        raise BenchError("no C compiler: apt-get install gcc libc6-dev")

    def run_reference(self, name, *arguments):
        """Runs a reference program to its end and returns the JSON that it prints."""
        command = [self.reference(name), *map(str, arguments)]
        result = subprocess.run(command, capture_output=True, text=True, timeout=1800, check=False)
        if result.returncode != 0:
            raise BenchError(f"{' '.join(command)}: {result.stderr[-400:]}")
        return json.loads(result.stdout)

    def store(self, class_name, count, copy=""):
        """The directory of a store with `count` objects of a class, loaded over HTTP the first time."""
        name = f"store-{class_name}-{count}{copy}"
        if name not in self._stores:
            self.say(f"loading {count:,} {class_name} objects")
            with Holdfast(self, self.path(name)) as holdfast:
                client.request(holdfast, "PUT", "/v1/schema", bench_schema(self.root))
                for one in ("City", class_name) if class_name == "Person" else (class_name,):
                    reply = client.upload(holdfast, f"/v1/classes/{one}/import", self.data.file(one, count))
                    if reply.get("failed") or not reply.get("imported"):
                        raise BenchError(f"import of {one}: {str(reply)[:400]}")
            self._stores.add(name)
        return self.path(name)

    def serve(self, class_name, count, copy=""):
        """Holdfast on such a store: a fresh process, whose memory does not remember the import."""
        return Holdfast(self, self.store(class_name, count, copy))

    def serve_empty(self, name):
        return Holdfast(self, self.path(name))
