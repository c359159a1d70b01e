"""The text files of a campaign's folder: written at once, or kept in memory until there is room for
them, the smallest first.
"""

from __future__ import annotations

from murxpy.campaign.findings.folder import Folder


class Files:
    """Files under `folder`. `waiting` maps the name of each file that is not written yet to its
    text; `reason` says why.
    """

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self.waiting: dict[str, str] = {}
        self.reason = ""

    def write(self, name: str, text: str) -> None:
        """Write the file `name`, or keep its text until `retry` can."""
        self.waiting[name] = text
        self._try(name)

    def retry(self) -> list[str]:
        """Write what waits, the smallest first, as long as there is room; gives the names that were
        written.
        """
        names = sorted(self.waiting, key=lambda name: (len(self.waiting[name]), name))
        return [name for name in names if self._try(name)]

    def _try(self, name: str) -> bool:
        try:
            self._folder.write(name, self.waiting[name])
        except OSError as error:
            self.reason = error.strerror or str(error)
            return False
        del self.waiting[name]
        return True

    def read(self, name: str) -> str | None:
        """The text of the file `name`, written or not; None when it is gone."""
        if name in self.waiting:
            return self.waiting[name]
        try:
            return (self._folder.path / name).read_text(encoding="utf-8", errors="surrogatepass")
        except OSError:
            return None

    def take_back(self, name: str) -> None:
        """Give the room of the written file `name` to what is worth more; its text waits again."""
        text = self.read(name)
        if text is not None:
            self._folder.remove(name)
            self.waiting[name] = text

    def drop(self, name: str) -> None:
        """Forget the file `name`."""
        self.waiting.pop(name, None)
        self._folder.remove(name)
