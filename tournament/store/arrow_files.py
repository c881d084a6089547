"""A storage as a file system of arrow, whose datasets can only open files by name."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import Any, NoReturn, cast

import pyarrow as pa
from pyarrow import fs

# Re-exported for annotations.
from pyarrow.dataset import Dataset as Dataset
from pyarrow.dataset import FileSystemDataset, Scanner

from tournament.errors import RunError
from tournament.store.storage import Storage


class StoredFiles(fs.FileSystemHandler):
    """A read-only file system of arrow that opens files with the storage's own checks and credentials.

    Attributes:
        storage: Storage of the records.
        staged: Name in staging/ of each part that might not be published yet, by its name once published.
    """

    def __init__(self, storage: Storage, staged: Mapping[str, str]) -> None:
        self.storage = storage
        self.staged = staged

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StoredFiles) and other.storage.location == self.storage.location

    def __hash__(self) -> int:
        return hash(self.storage.location)

    def get_type_name(self) -> str:
        """Return the name that arrow shows for this kind of file system."""
        return "tournament"

    def normalize_path(self, path: str) -> str:
        """Return a path unchanged: names in a storage have a single form."""
        return path

    def get_file_info(self, paths: str | list[str]) -> list[fs.FileInfo]:
        """Return type and size in bytes of each file, in order, also of those that are still staged.

        The type of a missing file is NotFound, and its size is None.

        Raises:
            OSError: A file's folder can't be searched.
            RunError: A name is invalid, or a request to the object store fails.
        """
        sizes = [(path, self._size(path)) for path in ([paths] if isinstance(paths, str) else paths)]
        return [
            fs.FileInfo(path, fs.FileType.NotFound if size is None else fs.FileType.File, size=size)
            for path, size in sizes
        ]

    def _size(self, path: str) -> int | None:
        """Return the size of a file in bytes, also of a staged one, or None if it is missing.

        Raises:
            OSError: The file's folder can't be searched.
            RunError: The name is invalid, or a request to the object store fails.
        """
        size = self.storage.size(path)
        return self.storage.size(self.staged[path]) if size is None and path in self.staged else size

    def open_input_file(self, path: str) -> pa.NativeFile:
        """Open a file, in staging/ if it isn't published yet.

        Raises:
            FileNotFoundError: There is no such file.
            OSError: The file can't be opened, or a request to the object store fails.
        """
        try:
            for place in (path, self.staged.get(path, path)):
                with contextlib.suppress(FileNotFoundError):
                    return self.storage.open_data(place)
            # The part was published between the two attempts.
            return self.storage.open_data(path)
        except RunError as problem:
            raise OSError(str(problem)) from None

    open_input_stream = open_input_file

    def _refused(self, *_: Any, **__: Any) -> NoReturn:
        raise NotImplementedError("records are only read")

    get_file_info_selector = create_dir = delete_dir = delete_dir_contents = delete_root_dir_contents = _refused
    delete_file = move = copy_file = open_output_stream = open_append_stream = _refused


class StoredDataset(FileSystemDataset):
    """A dataset of stored files that other libraries, such as DuckDB, can read by `scanner(…).to_reader()`."""

    def scanner(self, *args: Any, **options: Any) -> Scanner:
        """Return a scanner whose reader doesn't deadlock. Arguments are those of arrow's own method."""
        return cast(Scanner, _StoredScanner(super().scanner(*args, **options)))


class _StoredScanner:
    """A scanner whose reader never waits for a thread that waits for the reader.

    Arrow's own `to_reader` keeps the interpreter's lock while it waits for threads that open the first files. Files
    that are opened in Python need that lock (pyarrow 26).
    """

    def __init__(self, scanner: Scanner) -> None:
        self._scanner = scanner

    def __getattr__(self, name: str) -> Any:
        return getattr(self._scanner, name)

    def to_reader(self) -> pa.RecordBatchReader:
        """Return a reader of the scanned rows, which fails with OSError if a part is damaged or missing."""
        return pa.RecordBatchReader.from_batches(self._scanner.projected_schema, self._scanner.to_batches())
