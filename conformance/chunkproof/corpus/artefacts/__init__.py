"""From what people have (a dump, a capture, what curl wrote) to a wire and its cuts."""

from .artefact import Artefact, ArtefactError
from .reading import FORMATS, read_artefact

__all__ = ["FORMATS", "Artefact", "ArtefactError", "read_artefact"]
